"""Compilers that may read a kernel's text: for which GPU they compile, and how they name themselves and the day.

A kernel is right whoever compiles it. So a text that asks is read by a compiler that is drawn for each launch. What a
GPU's compiler defines for certain is defined by all of them; anything else by about every second one.
"""

from __future__ import annotations

import random
import re

from .. import gpus
from . import device, kernel_text

# Of NVCC and NVRTC. NVRTC 13.0 has the first line and none of the others, and of g++'s own names a few.
_OF_NVIDIA = (
    "__CUDACC_RTC__ __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__ __CUDACC_VER_BUILD__ __CUDA_ARCH_LIST__ __EDG__ "
    "__EDG_VERSION__ __NVCC_DIAG_PRAGMA_SUPPORT__ __PRAGMA_REDEFINE_EXTNAME "
    "__NVCC__ __CUDACC_RDC__ __CUDACC_EWP__ __CUDACC_DEBUG__ __CUDACC_EXTENDED_LAMBDA__ __CUDACC_RELAXED_CONSTEXPR__ "
    "__CUDACC_RTC_INT128__ __CUDA_API_PER_THREAD_DEFAULT_STREAM"
).split()
# What g++ defines where it is told to define nothing.
_OF_STANDARDS = (
    "__STDC__ __STDC_HOSTED__ __STDC_IEC_559__ __STDC_IEC_559_COMPLEX__ __STDC_IEC_60559_BFP__ "
    "__STDC_IEC_60559_COMPLEX__ __STDC_ISO_10646__ __STDC_UTF_16__ __STDC_UTF_32__ _GNU_SOURCE _STDC_PREDEF_H"
).split()
# Of a compiler that names itself, and that stand for themselves or for what the header has: as macros of NVRTC do.
_WORDS = "__managed__ __builtin_align__ va_start".split()
_COUNTED = "__COUNTER__ __INCLUDE_LEVEL__".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def named(number: int) -> str:
    """The GPU for which the compiler with this number compiles, as its __CUDA_ARCH__."""
    return str(_architecture(random.Random(number)))


def _architecture(drawn: random.Random) -> int:
    return drawn.choice(gpus.CAPABILITIES) * 10


def arguments(number: int) -> list[str]:
    """The arguments of g++ -E for the compiler with this number, 0 or more. Two numbers beside each other differ."""
    drawn = random.Random(number)
    day = f"{drawn.choice(_MONTHS)} {drawn.randint(1, 28):2} {drawn.randint(1990, 2099)}"
    clock = ":".join(f"{drawn.randrange(below):02}" for below in (24, 60, 60))
    file = f'"{"k" * drawn.randint(1, 60)}.cu"'
    by_all = {"__CUDACC__": "1", "__CUDA_ARCH__": str(_architecture(random.Random(number)))}
    by_all |= {"__FILE__": file, "__DATE__": f'"{day}"', "__TIME__": f'"{clock}"'}
    by_some = {name: str(drawn.randint(1, 13)) for name in (*_OF_NVIDIA, *_COUNTED)}
    by_some |= {"__BASE_FILE__": file, "__FILE_NAME__": file, "__TIMESTAMP__": f'"Sun {day[:6]} {clock} {day[7:]}"'}
    depth = drawn.randint(1, 9)  # of parentheses: a text can see what a name stands for
    for name, value in device.MACROS.items():
        itself = value if re.fullmatch(r"[\d() u-]+", value) else name.replace("...", "__VA_ARGS__")
        by_some[name] = "(" * depth + itself + ")" * depth
    by_some |= {name: name.replace("...", "__VA_ARGS__") for name in (*kernel_text.SPECIFIERS, *_WORDS)}
    given = ["-undef", *(f"-U{name}" for name in (*_OF_STANDARDS, *map(_plain, by_some)))]
    if number % 2:
        given = _defined(by_some)
    return [*given, *_defined(by_all)]


def _defined(macros: dict[str, str]) -> list[str]:
    return [part for name, value in macros.items() for part in (f"-U{_plain(name)}", f"-D{name}={value}")]


def _plain(name: str) -> str:
    """The name of a macro without its parameters."""
    return name.partition("(")[0]
