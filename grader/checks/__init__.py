"""Comparing and recognising: float64 comparisons, bounds on rounding, input families, patterns of syntax trees.

Runs in: the judge's process.
May import: spec.
Start reading: compare.py, then bounds.py.
"""
