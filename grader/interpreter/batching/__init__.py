"""Batched passes: many programs of a launch in one call of its kernel.

Start reading: scheduler.py (the passes), then array.py (the data), access.py (one access) and conflicts.py (the
transaction).

A program is a Triton program instance, one point of the launch grid. A lane is one element of a block. Uniform data is
the same for all programs. A guarded address is one that address_space.py gave out, a real address is one in memory.
"""
