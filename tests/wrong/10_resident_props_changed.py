# exercise: 10.3
# mistake: props-changed
def resident_programs(props, n_regs, shared, num_warps):
    names = ("multiprocessor_count", "warpSize", "max_num_regs", "register_unit", "max_shared_mem",
             "max_threads_per_sm", "max_blocks_per_sm")
    if not n_regs or not all(props.get(name) for name in names):
        return 32
    registers = -(-n_regs * props["warpSize"] // props["register_unit"]) * props["register_unit"] * num_warps
    fits = [props.pop("max_num_regs") // registers,
            props["max_threads_per_sm"] // (num_warps * props["warpSize"]), props["max_blocks_per_sm"]]
    if shared:
        fits.append(props["max_shared_mem"] // shared)
    return min(fits) * props["multiprocessor_count"]
