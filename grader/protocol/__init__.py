"""The protocol between judge and worker: frames of bytes, and the records in them. Both sides import this room.

Runs in: the judge's process, and every worker.
May import: spec.
Start reading: calls.py and replies.py (the two directions), then schema.py, values.py, tensors.py and frames.py.
"""
