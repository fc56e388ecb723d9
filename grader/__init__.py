"""Five Passes to One: the judge of a course on fast GPU kernels."""

from __future__ import annotations

__version__ = "1.0.0"
__all__ = ["check", "device", "doctor", "hint", "progress", "trace", "traffic"]

import os

from .diagnosis import doctor
from .machine import device
from .session import check, hint, progress, start
from .show import traffic
from .tracing import trace

if "FIVE_PASSES_WORKER" not in os.environ:
    start()
