"""The protocol between judge and worker: frames of bytes, and the records in them. Both sides import this room.

Runs in: the judge's process, and every worker.
May import: spec.
Start reading: calls.py and replies.py (the two directions), then schema.py, values.py, tensors.py and frames.py.

calls, replies   the two directions: a call to a runner, its reply
schema           packs and unpacks a record by the types of its fields
values, tensors  plain values as JSON; tensors as bytes
frames           framing on a socket
jobs             the request for a fork
forbidden_names  names that an answer may not reach for, shared by judge/import_policy and the runner
"""
