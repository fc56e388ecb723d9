"""CUDA C++ kernels: compiled by g++ and run on the CPU, where every access is checked; on a GPU through CuPy.

Runs in: a worker; `device.py` in `bench` too.
May import: interpreter, protocol, root, sentence, spec.
Start reading: host.py (compile and run), then guard.py (the checks in a kernel), runtime.cpp, memory.h (what a check
does) and meetings.h (races).

host      compiles a kernel for the CPU, runs it, counts
report    what stopped a kernel, as a sentence
banks     requests of warps to shared memory, and their ways
tools     g++ and binutils, in a process beside the runner
readers   compilers that may read a text, and how they name themselves
kernel_text, functions, objects   what the text of a kernel and its compiled library may contain
headers     what a text may ask for, and does not need
guard       puts a check in front of each access, in what g++ makes of a kernel
instructions, x86_64, aarch64   what an instruction does, for guard
device    the same kernels on a GPU, through NVRTC
runtime.cpp, cuda_on_cpu.h, checks.h, memory.h (accesses), meetings.h (races), state.h   the runtime
"""
