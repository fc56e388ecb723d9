# exercise: 15.1
# mistake: no-candidate
def worth_timing(candidates):
    def promise(c):
        return c["n_spills"] == 0, min(c["resident"] * c["bytes"], 65536), c["resident"] * c["num_warps"]

    return sorted(candidates, key=promise, reverse=True)[: len(candidates) // 4]
