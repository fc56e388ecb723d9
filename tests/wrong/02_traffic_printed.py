# exercise: 2.1
# mistake: returns-nothing
def fused_traffic(m, n):
    print(m * n, m * n)
