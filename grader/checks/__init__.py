"""Comparison and recognition: comparisons with float64, bounds on rounding errors, input families, syntax patterns.

Runs in: the judge's process.
May import: spec.
Start reading: compare.py, then bounds.py.
"""
