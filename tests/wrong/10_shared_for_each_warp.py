# exercise: 10.3
# mistake: shared-memory-per-warp
import triton

def resident_programs(props, n_regs, shared, num_warps):
    """How many programs the whole device holds at once; 32 where an entry of props, or n_regs, is missing or 0."""
    # If anything is missing: 32 (about 4 lines).
    needed = ("multiprocessor_count", "warpSize", "max_num_regs", "register_unit")
    needed += ("max_shared_mem", "max_threads_per_sm", "max_blocks_per_sm")
    if not n_regs or not all(props.get(key) for key in needed):
        return 32
    # For how many programs does each resource of one multiprocessor suffice? (about 6 lines)
    units = triton.cdiv(n_regs * props["warpSize"], props["register_unit"])  # of one warp
    limits = [
        props["max_num_regs"] // (num_warps * units * props["register_unit"]),
        props["max_threads_per_sm"] // (num_warps * props["warpSize"]),
        props["max_blocks_per_sm"],
    ]
    if shared > 0:
        limits.append(props["max_shared_mem"] // (shared * num_warps))
    # All multiprocessors together (1 line).
    return min(limits) * props["multiprocessor_count"]
