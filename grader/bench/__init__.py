"""Measurements: the time of a check, the speed of softmax on a GPU, and the header of every record.

Runs in: `python -m grader bench`, and the scripts in tools/record/.
May import: classroom, cuda, fast, judge, root.
Start reading: latency.py (no GPU) or gpu.py.

latency      how long a check takes
gpu          softmax beside a copy and beside baselines
functions    log_softmax, other dimensions and cross-entropy, so too
per_lesson/  what lessons show of a GPU, one module a lesson
record       the header of every record
"""
