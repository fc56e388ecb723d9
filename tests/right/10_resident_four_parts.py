# exercise: 10.3
def resident_programs(props, n_regs, shared, num_warps):
    names = "multiprocessor_count warpSize max_num_regs register_unit max_shared_mem max_threads_per_sm max_blocks_per_sm"
    if not n_regs or 0 in (props.get(name, 0) for name in names.split()):
        return 32
    unit = props["register_unit"]
    per_warp = (n_regs * props["warpSize"] + unit - 1) // unit * unit
    warps = props["max_num_regs"] // 4 // per_warp * 4
    limits = [warps // num_warps, props["max_threads_per_sm"] // (num_warps * props["warpSize"])]
    limits += [props["max_blocks_per_sm"], props["max_shared_mem"] // max(shared, 1)]
    return min(limits) * props["multiprocessor_count"]
