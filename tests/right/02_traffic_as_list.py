# exercise: 2.1
def fused_traffic(rows, columns):
    return [float(rows * columns)] * 2
