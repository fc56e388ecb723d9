"""The protocol between judge and worker: frames of bytes, and the records in them. Both sides import this room.

Runs in: the judge's process, and every worker.
May import: sentence, spec.
Start reading: calls.py and replies.py (the two directions), then schema.py, values.py, tensors.py and frames.py.

calls, replies   the two directions: a call to a runner, its reply
schema           packs and unpacks a record by the types of its fields
values, tensors  plain values as JSON; tensors as bytes
reuse            tensors of a call in the memory of those of the call before
frames           framing on a socket
errors           an exception as plain data, and an exception like it on the other side
orders, launches arguments of PyTorch's operators and of launches, between host and device
kernels          a kernel as text, with the meaning of each name that it uses
jobs             the request for the processes of one answer
"""
