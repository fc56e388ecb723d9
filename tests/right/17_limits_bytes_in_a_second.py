# exercise: 17.2
def limits(report):
    moved = report["dram__bytes_read.sum"] + report["dram__bytes_write.sum"]
    rate = moved / (report["gpu__time_duration.sum"] * 1e-9)
    spilling = report["sass__inst_executed_register_spilling"] / report["smsp__inst_executed.sum"]
    if spilling > 0.01:
        return "spills"
    if rate > 3e12:
        return "copy limit" if report["dram__bytes_read.sum"] < 0.6 * moved else "reads twice"
    if report["sm__warps_active.avg.pct_of_peak_sustained_active"] < 25:
        return "too few warps"
    each = report["memory_l2_theoretical_sectors_global"] / report["memory_l2_theoretical_sectors_global_ideal"]
    return "uncoalesced" if each > 4 else "bank conflicts"
