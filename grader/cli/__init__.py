"""The commands of python -m grader, one module each: `add` says how it is called, `run` does it.

Runs in: a shell.
May import: bench, classroom, export, isolation, judge, lessons, notebook, root.
Start reading: grade.py.
"""
