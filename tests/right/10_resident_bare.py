# exercise: 10.3
def resident_programs(props, n_regs, shared, num_warps):
    needed = ("multiprocessor_count", "warpSize", "max_num_regs", "register_unit")
    needed += ("max_shared_mem", "max_threads_per_sm", "max_blocks_per_sm")
    if not n_regs or not all(props.get(key) for key in needed):
        return 32
    units = -(-n_regs * props["warpSize"] // props["register_unit"])
    limits = [
        props["max_num_regs"] // (num_warps * units * props["register_unit"]),
        props["max_threads_per_sm"] // (num_warps * props["warpSize"]),
        props["max_blocks_per_sm"],
    ]
    if shared > 0:
        limits.append(props["max_shared_mem"] // shared)
    return min(limits) * props["multiprocessor_count"]
