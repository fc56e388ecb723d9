"""Grading a class: submitted files become rows of a results store, one row for each file.

Runs in: `python -m grader grade`, and the processes that it starts.
May import: isolation, judge, lessons, root, spec.
Start reading: grading.py, then results_store.py and executors.py.
"""
