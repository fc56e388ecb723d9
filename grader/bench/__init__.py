"""Measurements: the time of a check, the speed of softmax on a GPU, and the header of every record.

Runs in: `python -m grader bench`, the scripts in tools/record/, and notebooks (own_card).
May import: classroom, cuda, fast, judge, language, mistakes, root, sentence, timing.
Start reading: latency.py (no GPU) or gpu.py.

latency      how long a check takes
gpu          softmax beside a copy and beside baselines
functions    log_softmax, other dimensions and cross-entropy, so too
per_lesson/  what lessons show of a GPU, one module a lesson
own_card     what a lesson shows of the recorded GPU, measured on the one at hand; own_rows: which rows of which lesson
record       the header of every record
"""
