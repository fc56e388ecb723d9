"""Known misconceptions, one module a topic: sentence and question, wrong formulas, detectors, tables (id, detector).

Runs in: the judge's process.
May import: checks, reference, sentence, spec.
Start reading: mistake.py, detectors.py, then softmax/columns.py.

mistake, registry  the record of a mistake; all of them by id
mutant             a wrong answer as a small change of the course's answer, which references.json holds
stored             the answers that tests/ keeps: whole files, and wrong ones as edits of right ones
detectors          ways to recognise one: by numbers, places, text
errors             messages of Triton, PyTorch and Python -> a mistake
anywhere, overflow, traffic, kernels, triton   any exercise, exp, moved elements, any kernel, the language
softmax/           columns, rows, function (a wrapper), online, half, masked, tiles, persistent; formulas and walks
                   compute the wrong ways
copies (lesson 03), testing (06), tolerance (07), splits (09), residency and wide_loads (10), gradient and
autograd (11), reductions, first_cuda, cuda and barrier_intervals (12), attention, flash and attention_gradient (13),
bandwidth and routing (14), tuning (15), cross_entropy (16), profiles (17), roofline (02)
"""
