# exercise: 10.3
# mistake: fallback-missing
def resident_programs(props, n_regs, shared, num_warps):
    try:
        units = -(-n_regs * props["warpSize"] // props["register_unit"])
        limits = [
            props["max_num_regs"] // (num_warps * units * props["register_unit"]),
            props["max_threads_per_sm"] // (num_warps * props["warpSize"]),
            props["max_blocks_per_sm"],
        ]
        if shared > 0:
            limits.append(props["max_shared_mem"] // shared)
        return min(limits) * props["multiprocessor_count"]
    except (KeyError, TypeError, ZeroDivisionError):
        return 32
