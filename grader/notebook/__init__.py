"""The functions for a learner in a notebook: check, recall, race, hint, progress, trace, doctor, pictures.

Runs in: a notebook's kernel.
May import: checks, compiler, interpreter, isolation, judge, language, lessons, mistakes, protocol, racing, reference,
root, sentence, spec.
Start reading: api.py, then start.py (the work of `import grader`).

api             check, recall, race, hint, progress; progress_store: the scores behind them; right_answers: what passed;
                feedback: a verdict on display
races           who takes part in a race, its chart and its table; raced_answers: those of earlier races
start           the work of `import grader`; history: the cells that ran
errors          IPython's handler: errors of cells that become one sentence;
                kernel_line: the line of a kernel at which the guard stopped it
printed         what the cells of a lesson print, in another language
trace           with trace_text (table), trace_drawing (cells and frames) and trace_time (steps, reads before writes);
                trace_sectors, trace_banks: requests of warps
beside          a process beside the notebook's that interprets kernels, where this one compiles them;
                beside_worker: its other end
drawing         cells, tables and frames in HTML, for drawings that follow the theme of the page:
                attention_drawing (tiles of queries and keys), reduction_drawing (tree, butterfly, two levels)
canvas          boxes and arrows for drawings, on light and dark pages
own_way         what the right answers of a learner move, from the five passes on
hierarchy       the memories of a card, and what operations move between them;
                kernel_steps: what the lines of a kernel move
traffic         with charts and picture (a figure that carries its description); alt_text: charts in
                words; fonts: those that have all characters of a text
machine_code    a kernel compiled for GPUs that are not here; machine_table: the table of it
doctor          what works on this machine
cuda_launch     launch() of lesson 12
"""
