# exercise: 10.3
import math


def resident_programs(props, n_regs, shared, num_warps):
    if n_regs is None or n_regs == 0 or len(props) < 7 or 0 in props.values():
        return 32
    unit = props["register_unit"]
    registers_per_warp = math.ceil(n_regs * props["warpSize"] / unit) * unit
    warps = min(props["max_num_regs"] // registers_per_warp, props["max_threads_per_sm"] // props["warpSize"])
    programs = min(warps // num_warps, props["max_blocks_per_sm"])
    if shared != 0:
        programs = min(programs, int(props["max_shared_mem"] / shared))
    return programs * props["multiprocessor_count"]
