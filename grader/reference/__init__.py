"""Right formulas and what is asked of an answer, one module a topic: truth in float64, builders of cases, verification.

Runs in: the judge's process.
May import: checks, spec.
Start reading: softmax_function.py.
"""
