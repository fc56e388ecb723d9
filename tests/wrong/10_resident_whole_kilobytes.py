# exercise: 10.3
# mistake: none
def resident_programs(props, n_regs, shared, num_warps):
    stock = "max_num_regs max_shared_mem max_threads_per_sm max_blocks_per_sm".split()
    if not n_regs or not all(props.get(key) for key in [*stock, "multiprocessor_count", "warpSize", "register_unit"]):
        return 32
    registers, memory, threads, places = (props[key] for key in stock)
    unit = props["register_unit"]
    of_a_warp = -(-n_regs * props["warpSize"] // unit) * unit
    counts = [registers // (of_a_warp * num_warps), threads // (props["warpSize"] * num_warps), places]
    if shared >= 1024:
        counts.append(memory // 1024 // (shared // 1024))
    elif shared:
        counts.append(memory // shared)
    return min(counts) * props["multiprocessor_count"]
