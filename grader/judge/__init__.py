"""The verdict on one answer: its cases run in a worker, are compared, and a mistake is named and described.

Runs in: the judge's process: a notebook's kernel, or a process that grades.
May import: checks, isolation, language, mistakes, protocol, root, sentence, spec.
Start reading: judge.py.

extract        cells of a notebook -> the source text of one answer
judge          an answer and an exercise -> a Result
run_cases      runs the cases, a method for each way in which one may end
repeats        some cases once more, with other numbers in the same memory
verdict        what is wrong with one case; untrusted: values that the code of the course cannot handle
compiled       the second look: Triton's compiler, its machine code, and a GPU
diagnose       which failure is reported, which of several mistakes is named; replay: by running its mutants
render         a result in words: printed feedback, reports, terminal
examine        everything about one answer, for `python -m grader explain`
zygotes        the judge's handles on the warm processes; session: its conversation with one runner
time_limit     how long an answer may take: the time in which it waited for a core does not count
oracle         runs the course's own functions on tensors that an answer chose
"""
