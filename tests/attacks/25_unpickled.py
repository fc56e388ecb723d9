# exercise: 1.2
class Evil:
    def __reduce__(self):
        return open, ("MARK/unpickled", "w")

    def __del__(self):
        open("MARK/unpickled", "w").close()

    def __repr__(self):
        open("MARK/unpickled", "w").close()
        return "(1, 1)"

    __str__ = __index__ = __int__ = __float__ = __repr__


KEPT = Evil()


def naive_traffic(m, n):
    return Evil(), Evil()
