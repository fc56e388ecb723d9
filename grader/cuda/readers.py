"""Compilers that may read a kernel's text: for which GPU they compile, and how they name themselves and the day.

A kernel is right whoever compiles it. So a text that asks is read by a compiler that is drawn for each launch. What a
GPU's compiler defines for certain is defined by all of them; anything else by about every second one.
"""

from __future__ import annotations

import random
import re

from .. import gpus
from . import device

# Of NVCC and NVRTC; g++ adds its own names, which both take over in part.
_OF_NVIDIA = (
    "__NVCC__ __CUDACC_RTC__ __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__ __CUDACC_VER_BUILD__ __CUDACC_RDC__ "
    "__CUDACC_EWP__ __CUDACC_DEBUG__ __CUDACC_EXTENDED_LAMBDA__ __CUDACC_RELAXED_CONSTEXPR__ __CUDA_ARCH_LIST__ "
    "__CUDACC_RTC_INT128__ __CUDA_API_PER_THREAD_DEFAULT_STREAM __NVCC_DIAG_PRAGMA_SUPPORT__ __EDG__ "
    "__EDG_VERSION__"
).split()
# What g++ defines where it is told to define nothing.
_OF_STANDARDS = (
    "__STDC__ __STDC_HOSTED__ __STDC_IEC_559__ __STDC_IEC_559_COMPLEX__ __STDC_IEC_60559_BFP__ "
    "__STDC_IEC_60559_COMPLEX__ __STDC_ISO_10646__ __STDC_UTF_16__ __STDC_UTF_32__ _GNU_SOURCE _STDC_PREDEF_H"
).split()
_FILES = "__FILE__ __BASE_FILE__ __FILE_NAME__".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def named(number: int) -> str:
    """The GPU for which the compiler with this number compiles, as its __CUDA_ARCH__."""
    return str(_architecture(random.Random(number)))


def _architecture(drawn: random.Random) -> int:
    return drawn.choice(gpus.CAPABILITIES) * 10


def arguments(number: int) -> list[str]:
    """The arguments of g++ -E for the compiler with this number, 0 or more. Two numbers beside each other differ."""
    drawn = random.Random(number)
    defined = {"__CUDACC__": "1", "__CUDA_ARCH__": str(_architecture(drawn))}
    names_itself = number % 2 == 1
    if names_itself:
        defined |= {name: str(drawn.randint(1, 13)) for name in _OF_NVIDIA}
        depth = drawn.randint(1, 9)  # of parentheses: a text can see what a name stands for
        for name, value in device.MACROS.items():
            number_itself = re.fullmatch(r"[\d() u-]+", value)
            itself = value if number_itself else name.replace("...", "__VA_ARGS__")
            defined[name] = "(" * depth + itself + ")" * depth
    for name in _FILES:
        defined[name] = f'"{"k" * drawn.randint(1, 60)}.cu"'
    day = f"{drawn.choice(_MONTHS)} {drawn.randint(1, 28):2} {drawn.randint(1990, 2099)}"
    clock = ":".join(f"{drawn.randrange(below):02}" for below in (24, 60, 60))
    defined |= {"__DATE__": f'"{day}"', "__TIME__": f'"{clock}"', "__TIMESTAMP__": f'"Sun {day[:6]} {clock} {day[7:]}"'}
    defined |= {name: str(drawn.randrange(1 << 16)) for name in ("__COUNTER__", "__INCLUDE_LEVEL__")}
    none = [] if names_itself else ["-undef", *(f"-U{name}" for name in _OF_STANDARDS)]
    for name, value in defined.items():
        none += [f"-U{name.partition('(')[0]}", f"-D{name}={value}"]
    return none
