"""The clock of a race: a device with a GPU that keeps the orders of a host, and times them on numbers of its own.

Runs in: a process of its own for each entrant of a race, forked by worker/zygote.py, with no Python of the answer.
May import: checks, cuda, device_side, interpreter, protocol, reference, root, sentence, spec.
Start reading: timekeeper.py.

timekeeper  serves the judge, and the orders of the host while a call is recorded
tape        the orders of one call, which can be given again for other tensors
laps        replays by turns with a copy: poisoned, timed, compared
families    the inputs of a race, and what is right for them
floor       the time below which the bytes cannot have moved
card        the GPU: captures, events, an empty cache; nvidia: what only its driver knows
peers       functions of the course and of PyTorch that race beside an answer
"""
