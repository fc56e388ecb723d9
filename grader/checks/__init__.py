"""Comparison and recognition: comparisons with float64, bounds on rounding errors, input families, syntax patterns.

Runs in: the judge's process.
May import: sentence, spec.
Start reading: compare.py, then bounds.py.

compare   values of an answer against float64: None, or a sentence
bounds    tolerances, derived from rounding errors
inputs    families of input tensors
syntax    patterns in the syntax tree of an answer
shape     an answer without names, comments and layout, so that two can be compared
examples  patterns that an example shows
in_parallel  programs of a launch that no order keeps apart
"""
