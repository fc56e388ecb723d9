"""Runs an answer's bandwidth on a simulated device, which it asks over the wire: ask_clock(question, ...)."""


class _Clock:
    """What a benchmark asks of the device at hand; each method takes no arguments."""

    def __init__(self):
        self.now = lambda: ask_clock("now")  # noqa: F821
        self.synchronize = lambda: ask_clock("synchronize")  # noqa: F821
        self.clear_cache = lambda: ask_clock("clear_cache")  # noqa: F821


def check_bandwidth():
    """The answer's GB/s, as a number."""
    import answer

    answer.clock, answer.peak = _Clock(), lambda x: ask_clock("peak", x)  # noqa: F821
    got = answer.bandwidth(lambda x: ask_clock("run", x), ask_clock("matrix"))  # noqa: F821
    return got.item() if hasattr(got, "item") else got
