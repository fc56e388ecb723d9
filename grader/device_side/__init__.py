"""The side of the numbers: it owns memory, poison, guard, ledger and interpreter, and runs operators and kernels.

Runs in: a process of its own for each answer, forked by worker/zygote.py, with no Python of the answer but kernels.
May import: cuda, interpreter, isolation, protocol, root, sentence, simulated, spec.
Start reading: server.py.

server       serves the judge, and the orders of the host while a call runs
far_tensors  tensors whose rows lie billions of elements apart
memory       the tensors of an answer, by number; numbers that leave for the host
operators    the list of PyTorch's operators that run
kernel_text  the language of kernels: admits their text
kernels      the kernels of an answer: lowered before each launch, and run as the compiler took them
lowering     Triton's compiler front end: refuses what no GPU would run; visited: what it took for one launch
as_compiled  a kernel for the interpreter with these nodes alone
simulated    the clock of a GPU that is not there, over the wire, for lesson 14
"""
