# exercise: 17.2
def limits(report):
    def over(name):
        return report[name] / max(1, report[name + "_ideal"])

    if report["sass__inst_executed_register_spilling"] != 0:
        return "spills"
    busy = report["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"] >= 75
    if busy and report["dram__bytes_read.sum"] >= 2 * 0.9 * report["dram__bytes_write.sum"]:
        return "reads twice"
    if busy:
        return "copy limit"
    signs = {
        "uncoalesced": over("memory_l2_theoretical_sectors_global"),
        "bank conflicts": over("memory_l1_wavefronts_shared"),
        "too few warps": 20 / report["sm__warps_active.avg.pct_of_peak_sustained_active"],
    }
    return max(signs, key=signs.get)
