# exercise: 10.3
import numpy as np


def resident_programs(props, n_regs, shared, num_warps):
    names = "multiprocessor_count warpSize max_num_regs register_unit max_shared_mem max_threads_per_sm max_blocks_per_sm"
    has = {name: props.get(name) or 0 for name in names.split()}
    if not all(has.values()) or not n_regs:
        return 32
    units = np.ceil(n_regs * has["warpSize"] / has["register_unit"])
    takes = np.array([num_warps * units * has["register_unit"], num_warps * has["warpSize"], 1, max(shared, 1)])
    stocks = np.array([has[n] for n in ("max_num_regs", "max_threads_per_sm", "max_blocks_per_sm", "max_shared_mem")])
    return int((stocks // takes).min()) * has["multiprocessor_count"]
