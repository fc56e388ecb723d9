"""Known misconceptions, one module a topic: sentence and question, wrong formulas, detectors, tables (id, detector).

Runs in: the judge's process.
May import: checks, reference, spec.
Start reading: mistake.py, detectors.py, then softmax/columns.py.
"""
