# tries: to stop the clocks of Python
# in its way: the clock is in another process, and is the card's own
# outcome: no gain
import time

time.time = time.perf_counter = time.monotonic = time.process_time = lambda: 0.0
time.perf_counter_ns = time.monotonic_ns = time.time_ns = lambda: 0
