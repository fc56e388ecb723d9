"""The functions for a learner in a notebook: check, hint, progress, trace, traffic, doctor, and their pictures.

Runs in: a notebook's kernel.
May import: checks, interpreter, isolation, judge, lessons, root, spec.
Start reading: api.py, then start.py (the work of `import grader`).
"""
