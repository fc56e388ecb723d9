# exercise: 15.1
# mistake: list-for-dictionary
def worth_timing(candidates):
    def rank(c):
        return candidates["n_spills"] == 0, c["resident"] * c["bytes"]

    return sorted(candidates, key=rank, reverse=True)[: len(candidates) // 3]
