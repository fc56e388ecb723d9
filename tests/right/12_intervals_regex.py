# exercise: 12.8
import math


def predicted_intervals(num_warps):
    steps = num_warps.bit_length() - 1
    each = [steps_of for steps_of in (5, steps)]
    return each + each if steps else [sum(each) * 2]


def shuffles_by_interval(ptx):
    import re

    return [len(re.findall(r"^\s*(?:@!?%p\d+ )?shfl\.", part, re.M)) for part in re.split(r"(?m)^\s*bar\.sync.*$", ptx)]
