"""The misconceptions that a check can name: sentence and question of each, and the detectors that recognise it.

Runs in: the judge's process.
May import: checks, reference, spec.
Start reading: mistake.py, detectors.py, then softmax/columns.py.
"""
