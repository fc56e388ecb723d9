"""Runs an answer's bandwidth on a simulated device: a text that joins the answer, with a function for cases to call."""

import answer as _answer
import torch

from grader.simulated import Device as _Device


def check_bandwidth(m, n, dtype, seconds, disturbed, most):
    """What the answer gives where a call takes so many seconds and the peak is `most` GB/s; and what it timed."""
    device = _Device(seconds, disturbed)
    _answer.clock, _answer.peak = device, lambda x: most
    got = _answer.bandwidth(device.run, torch.empty(m, n, dtype=getattr(torch, dtype)))
    return got.item() if hasattr(got, "item") else got, device.timed
