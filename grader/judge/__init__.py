"""The verdict on one answer: its cases run in a worker, are compared, and a mistake is named and described.

Runs in: the judge's process: a notebook's kernel, or a process that grades.
May import: checks, isolation, mistakes, protocol, root, spec.
Start reading: judge.py.
"""
