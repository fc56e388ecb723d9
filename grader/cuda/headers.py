"""Headers that a text may ask for: those of C, of C++ and of CUDA's toolkit.

What they declare is there without them, so a text is read without these lines. A line that asks for any other file
stays in the text, and is refused: no compiler finds that file, as a kernel is a text without a folder.
"""

from __future__ import annotations

import re

_OF_C = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdbool "
    "stddef stdint stdio stdlib string tgmath time uchar wchar wctype unistd"
).split()
_OF_CPP = (
    "algorithm any array atomic bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes "
    "ciso646 climits clocale cmath codecvt compare complex concepts condition_variable csetjmp csignal cstdalign "
    "cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque exception "
    "execution filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream "
    "iterator limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random "
    "ranges ratio regex scoped_allocator set shared_mutex span sstream stack stdexcept streambuf string string_view "
    "strstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray "
    "variant vector version"
).split()
# Of a toolkit's folder "include", without those of its libraries for the host: cuBLAS, cuFFT, NPP and others.
_OF_CUDA = re.compile(
    r"(?:cuda|cuda_\w+|cooperative_groups|mma|math_constants|math_functions\w*|device_\w+|vector_(?:types|functions)"
    r"|sm_\d\d\w*|builtin_types|driver_\w+|host_\w+|common_functions|channel_descriptor|texture_\w+|surface_\w+|library_types"
    r"|curand\w*|cuComplex|nvrtc|nv_decode|nvfunctional|nvToolsExt\w*)(?:\.h|\.hpp)?"
    r"|(?:cooperative_groups|crt|cub|cuda|nv|nvtx3|thrust)/[\w./-]+"
)
_HEADERS = frozenset([*(f"{name}.h" for name in _OF_C), *_OF_CPP])
# Up to the name of the header; a comment may follow. Anything else on the line would be for this compiler alone.
_INCLUDE = re.compile(
    r"""^[ \t]*\#[ \t]*include[ \t]*(?:<([\w./+-]+)>|"([\w./+-]+)")[ \t]*(?=$|//|/\*(?:(?!\*/).)*\*/[ \t]*$)""",
    re.MULTILINE,
)


def left_out(source: str) -> str:
    """The text without the lines that ask for one of these headers; lines keep their numbers.

    What is taken away means nothing to any compiler, in a comment neither, so that all of them read the same kernel. A
    line that continues the one above it is a part of that. Lines end in one way afterwards: "\\n". Blanks behind a
    backslash end a line for NVRTC, and not for g++: with a character behind them they do for both.
    """
    source = re.sub(r"\r+\n", "\n", source)
    source = re.sub(r"\\[ \t\f\v]+\n", r"\\ ;\n", source)
    return _INCLUDE.sub(lambda found: found[0] if _stays(source, found) else "", source)


def _stays(source: str, found: re.Match) -> bool:
    name = found[1] or found[2]
    known = name in _HEADERS or _OF_CUDA.fullmatch(name)
    return not known or ".." in name or source[: found.start()].endswith("\\\n")
