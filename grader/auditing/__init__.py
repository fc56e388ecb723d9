"""The audit of any function that launches Triton kernels, against a reference: audit(function, reference, *inputs).

Runs in: a notebook's kernel or a program that imports grader; beside it where kernels are compiled.
May import: checks, compiler, interpreter, language, notebook, root, sentence, spec.
Start reading: audit.py, then cases.py and examination.py.

audit              the public function: it makes the cases, within its time, and the report
arguments          tensors and numbers at any depth of the arguments
cases              the cases: sizes (other lengths of axes), variants (other numbers, dtypes, places in memory)
one_run            one call, interpreted and watched; elsewhere: a GPU that is not there
expected           what the reference returns; allowed_error: how far careful arithmetic may be from it; rounded: the
                   reference with each operator perturbed; launched_numbers: with its numbers as a launch rounds them;
                   casts: with what has no whole number
tuning             the configurations of autotuned kernels: which one runs, and whether others run before
examination        what one case shows: numbers_compared, order_of_programs (races), kernel_lines (whose fault it is)
moved              bytes, tensor by tensor; compiled_for: machine code for GPUs that are not here
findings           faults and notes, each once
report             the outcome; report_text, report_html and report_files (JUnit, JSON) show it

Everything that is known of an access comes from the interpreter's guard, poison and ledger. No sandbox: the function is
the user's own, and nothing is graded.
"""
