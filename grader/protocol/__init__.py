"""The line between judge and worker: bytes, and what they stand for. The only room that both sides share.

Runs in: the judge's process, and every worker.
May import: spec.
Start reading: frames.py (framing), then values.py and tensors.py (the payload).
"""
