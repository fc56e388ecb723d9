"""The line between judge and worker: bytes, and what they stand for. The only room that both sides share.

Runs in: the judge's process, and every worker.
May import: spec.
Start reading: calls.py and replies.py (the two directions), then schema.py, values.py, tensors.py and frames.py.
"""
