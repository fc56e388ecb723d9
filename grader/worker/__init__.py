"""The untrusted side: a zygote that forks a confined process for each answer, and the runner inside the fork.

Runs in: processes of its own, started by judge/zygotes.py.
May import: cuda, interpreter, isolation, protocol, root, spec.
Start reading: zygote.py (fork and confine), then runner.py (import the answer, run the calls).

zygote      imports PyTorch and Triton once, forks and confines a process for each answer, reaps it
runner      in such a fork: imports the answer, runs calls, packs replies
lowering    Triton's compiler front end: refuses what no GPU would run
hugepages   joins memory pages, so that a fork is cheap
"""
