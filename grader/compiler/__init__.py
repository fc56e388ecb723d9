"""The machine code of a kernel for any GPU, made without one by Triton's compiler and the tools in its wheel.

Runs in: a process of its own, which ends with its work, or a confined worker; request.py in a notebook's kernel.
May import: device_side, host_side, interpreter, protocol, root, sentence.
Start reading: compile.py.

compile   the process: compiles a kernel that arrives as text, and reads what came out
request   the other end: starts the process with one kernel and its arguments
launched  the same for a launch that the judge has on record, in a worker
targets   GPUs by name, as Triton's compiler calls them
sass      NVIDIA's machine code: registers, instructions and the source lines that they came from
ptx       the loads of the text before that
amdgcn    AMD's, the same
counts    the counts that both have
"""
