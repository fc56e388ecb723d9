# exercise: 17.4
def headroom(report, least_bytes, copy_rate):
    useful = least_bytes * 1e9 / report["gpu__time_duration.sum"]
    return copy_rate / useful if useful < copy_rate else 1.0
