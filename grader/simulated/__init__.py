"""A GPU that is not there, with a clock: what lesson 14 measures before it measures a real one.

Runs in: a notebook's kernel, and the device of an answer to 14.1.
May import: nothing of the course.
Start reading: device.py, the queue and its clock.
"""

from .device import Device

__all__ = ["Device"]
