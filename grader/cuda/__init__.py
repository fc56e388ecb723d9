"""CUDA C++ kernels: compiled by g++ and run on the CPU, where every access is checked; on a GPU through CuPy.

Runs in: a worker; `device.py` in `bench` too.
May import: interpreter, protocol.
Start reading: host.py (compile and run), then runtime.cpp, memory.h (the guard) and meetings.h (races).
"""
