"""Right formulas, builders of cases and verification, one module a topic. The truth is computed in float64.

Runs in: the judge's process.
May import: checks, spec.
Start reading: softmax_function.py.
"""
