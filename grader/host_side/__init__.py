"""The answer's side: it imports an answer's Python and calls it. Its tensors are handles without numbers.

Runs in: a process of its own for each answer, forked by worker/zygote.py.
May import: interpreter, isolation, protocol, sentence.
Start reading: apart.py.

answer         imports the text of an answer and its driver
apart          serves the device: loads the answer, calls it with handles
handles        a tensor without numbers; sends each of PyTorch's operators to the device
wire           one question and its answer, between host and device
launches       sends launches to the device; the first fitting configuration of a decorated kernel
kernel_source  the text of a kernel, and the names that it uses
only_card      what a function tells PyTorch of its card, and no order follows from
"""
