"""The simulated device of lesson 14: what a clock sees of a queue."""

import statistics

import pytest

from grader.simulated import Device
from grader.simulated.device import JITTER, Pace

SECONDS = 50e-6
SLOW, COMPILE = Pace().slow, Pace().compiling


def once(device, wait=True, clear=True):
    if clear:
        device.clear_cache()
    device.synchronize()
    begin = device.now()
    device.run(None)
    if wait:
        device.synchronize()
    return device.now() - begin


@pytest.fixture
def warm():
    device = Device(SECONDS)
    for _ in range(SLOW):
        once(device)
    return device


def test_a_call_returns_before_its_work_is_done(warm):
    """The clock is read while the work is waiting, unless somebody waits for it."""
    assert once(warm, wait=False) < SECONDS / 5
    assert warm.timed[-1][:3] == ("u", False, True)


def test_data_in_the_cache_takes_half_the_time(warm):
    """The call before has left it there."""
    once(warm)
    assert pytest.approx(SECONDS / 2, JITTER) == once(warm, clear=False)


def test_the_first_calls_are_slow():
    """One compiles, the others run on a card that is still slow."""
    device = Device(SECONDS)
    times = [once(device) for _ in range(SLOW)]
    assert times[0] > COMPILE and [pytest.approx(1.5 * SECONDS)] * (SLOW - 1) == times[1:]


@pytest.mark.parametrize("disturbed", range(5))
@pytest.mark.parametrize("runs", [3, 4, 5, 9, 20, 101])
def test_the_median_of_a_few_runs_is_the_usual_time(runs, disturbed):
    """And the mean is not, nor the fastest of many, nor any that is the most frequent."""
    device = Device(SECONDS, disturbed)
    times = [once(device) for _ in range(SLOW + runs)][SLOW:]
    assert pytest.approx(SECONDS, JITTER) == statistics.median(times)
    assert len(times) == len(set(times))
    if runs >= 5:
        assert statistics.fmean(times) > 1.2 * SECONDS
    if runs >= 20:
        assert pytest.approx(0.8 * SECONDS, JITTER) == min(times)


@pytest.mark.parametrize("seed", range(20))
def test_a_drawn_pace_differs_and_leaves_the_median_alone(seed):
    """What a reader of the source could subtract is another number in every check."""
    known, drawn = Pace(), Pace.drawn(seed)
    device = Device(SECONDS, seed % 5, seed)
    times = [once(device) for _ in range(SLOW + 20)][SLOW:]

    names = ("launch", "compiling", "clear", "at_first", "cached", "disturbed", "fast", "phase")
    assert all(getattr(known, name) != getattr(drawn, name) for name in names)
    assert drawn.slow <= known.slow
    assert pytest.approx(SECONDS, JITTER) == statistics.median(times)
