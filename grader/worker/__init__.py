"""The processes of an answer: a zygote forks and confines them; an answer without a device is one process.

Runs in: processes of its own, started by judge/zygotes.py.
May import: compiler, cuda, device_side, host_side, interpreter, isolation, protocol, root, sentence, spec,
timing.
Start reading: zygote.py (fork and confine), then device_side/server.py and host_side/apart.py, the two processes of
most answers.

start       enters the namespaces, and becomes the zygote
zygote      imports PyTorch and Triton once, forks and confines the processes of each answer, reaps them
warm_up     imports and runs once what every answer needs
alone       an answer in one process: formulas, tests, a GPU
front_end   Triton's compiler for kernels that arrive as text, without an answer
requests    the loop of a process that serves one session
course_modules  which modules of the course are loaded, and that an answer imports no others
hugepages   joins memory pages, so that a fork is cheap
"""
