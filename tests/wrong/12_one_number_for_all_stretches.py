# exercise: 12.8
# mistake: no-list-returned
import math

def predicted_stretches(num_warps):
    """Shuffles in each stretch of 5.1 that has any, in the order of the text, as a list.

    num_warps: 1, 2, 4, ..., 32. Every thread has a part of the row.
    """
    # The levels of one reduction, and how many reductions there are. And one warp? (about 3 lines)
    within, across = int(math.log2(32)), int(math.log2(num_warps))
    return within + across

def shuffles_by_stretch(ptx):
    """Shuffles before the first barrier, between two barriers, ..., after the last one, as a list.

    ptx: a text of many lines.
    """
    # Cut at the barriers, count in each part (about 2 lines).
    return [stretch.count("shfl.sync") for stretch in ptx.split("bar.sync")]
