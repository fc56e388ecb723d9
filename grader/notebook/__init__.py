"""What a learner calls in a notebook: check, hint, progress, trace, traffic, doctor, and the pictures they draw.

Runs in: a notebook's kernel.
May import: checks, interpreter, isolation, judge, lessons, root, spec.
Start reading: api.py, then start.py (what `import grader` does).
"""
