"""The verdict on one answer: run its cases in a worker, compare, name the mistake, put it into words.

Runs in: the judge's process: a notebook's kernel, or a process that grades.
May import: checks, isolation, mistakes, protocol, root, spec.
Start reading: judge.py.
"""
