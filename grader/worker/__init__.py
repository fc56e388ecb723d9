"""The untrusted side: a zygote that forks a confined process for each answer, and the runner inside the fork.

Runs in: processes of its own, started by judge/zygotes.py.
May import: cuda, interpreter, isolation, protocol, root, spec.
Start reading: zygote.py (fork and confine), then runner.py (import the answer, run the calls).
"""
