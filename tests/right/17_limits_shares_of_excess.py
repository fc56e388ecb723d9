# exercise: 17.2
def limits(report):
    sectors = report["memory_l2_theoretical_sectors_global"]
    wavefronts = report["memory_l1_wavefronts_shared"]
    if report["memory_l2_theoretical_sectors_local"]:
        return "spills"
    if report["derived__memory_l2_theoretical_sectors_global_excessive"] / sectors > 0.5:
        return "uncoalesced"
    if wavefronts and report["derived__memory_l1_wavefronts_shared_excessive"] / wavefronts > 0.3:
        return "bank conflicts"
    if report["sm__warps_active.avg.pct_of_peak_sustained_active"] < 10:
        return "too few warps"
    if report["dram__bytes_read.sum"] / report["dram__bytes_write.sum"] > 1.3:
        return "reads twice"
    return "copy limit"
