"""Marks in memory that nothing was stored to: not-a-numbers that no computation makes, by dtype.

Memory from torch.empty and outputs of the check begin with the first mark. A kernel that loads one and stores what it
computed from it leaves the second.
"""

# dtype -> (integer type of its size, first mark, second mark)
MARKS = {
    "float16": ("int16", 0x7E5E, 0x7E5F),
    "bfloat16": ("int16", 0x7FDE, 0x7FDF),
    "float32": ("int32", 0x7FC05EED, 0x7FC05EEE),
    "float64": ("int64", 0x7FF85EED00000000, 0x7FF85EED00000001),
}
