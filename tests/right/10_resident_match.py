# exercise: 10.3
import triton


def resident_programs(props, n_regs, shared, num_warps):
    match props:
        case {
            "multiprocessor_count": count,
            "warpSize": warp,
            "max_num_regs": registers,
            "register_unit": unit,
            "max_shared_mem": memory,
            "max_threads_per_sm": threads,
            "max_blocks_per_sm": places,
        } if n_regs and 0 not in props.values():
            by_registers = registers // (num_warps * triton.cdiv(n_regs * warp, unit) * unit)
            by_memory = memory // shared if shared > 0 else places
            return count * min(by_registers, by_memory, threads // (num_warps * warp), places)
    return 32
