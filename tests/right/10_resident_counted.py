# exercise: 10.3
def resident_programs(props, n_regs, shared, num_warps):
    """Put one program after another on a multiprocessor, until something runs out."""
    try:
        warp, unit = props["warpSize"], props["register_unit"]
        registers, threads = props["max_num_regs"], props["max_threads_per_sm"]
        memory, places, count = props["max_shared_mem"], props["max_blocks_per_sm"], props["multiprocessor_count"]
    except KeyError:
        return 32
    if not n_regs or not unit * warp * registers * threads * memory * places * count:
        return 32
    taken = 0
    while n_regs * warp > taken:
        taken += unit
    programs = 0
    while registers >= taken * num_warps and threads >= warp * num_warps and memory >= shared and places > 0:
        registers -= taken * num_warps
        threads -= warp * num_warps
        memory -= shared
        places -= 1
        programs += 1
    return programs * count
