"""Right formulas, builders of cases and verification, one module a topic. The truth is computed in float64.

Runs in: the judge's process.
May import: checks, root, sentence, simulated, spec.
Start reading: softmax_function.py.

One module for each topic of grader/mistakes/: attention, attention_gradient, autograd, autotuned, bandwidth,
barrier_intervals (with ptx.json, the texts that they lie in), cross_entropy, cuda, far_rows, flash, gradient, online,
pads, profiles (with profiles.json, recorded ones), reductions, residency, roofline, routing, softmax_function (a
softmax that others can call), splits, testing, tolerance, tuning (with sweep.json, recorded times), wide_loads;
combines: functions that are handed to answers; memories: those of a card
"""
