"""Plays the tuning of a GPU for an answer's inplace_softmax: a text that joins the answer, with functions for cases.

Each function changes x. What was launched, the device says, and what became of x; nothing is taken from here.
"""

from unittest import mock

from grader.interpreter.triton_private import heuristic_values, tuners


class _Trials:
    """Launches of autotuned kernels: trials of every configuration for each new key, then the chosen one."""

    def __init__(self, which, tries=True):
        self.which, self.tries, self.tuned, self.configs, self.known = which, tries, [], [], {}

    def run(self, tuner, args, grid, kwargs):
        tuner.nargs = dict(zip(tuner.arg_names, args))
        given = {**tuner.nargs, **kwargs}
        key = (id(tuner), *(str(given[name]) for name in tuner.keys if name in given))
        key += tuple(str(value.dtype) for value in given.values() if hasattr(value, "dtype"))
        kept = list(tuner.prune_configs(kwargs))
        self.configs += kept
        new = key not in self.known
        self.tuned[-1] |= new and len(kept) > 1
        if new:
            self.known[key] = kept[self.which % len(kept)]
            for config in kept if len(kept) > 1 and self.tries else []:  # once each; a GPU tries each many times
                self._one(tuner, config, args, grid, kwargs, trial=True)
            tuner.pre_hook({**given, **self.known[key].all_kwargs()}, reset_only=True)
        self._one(tuner, self.known[key], args, grid, kwargs, trial=False)
        tuner.nargs = None

    def _one(self, tuner, config, args, grid, kwargs, trial):
        full = {**tuner.nargs, **kwargs, **config.all_kwargs()}
        if config.pre_hook is not None:
            config.pre_hook(full)
        if trial:
            tuner.pre_hook(full)
        tuner.fn[grid](*args, **kwargs, **config.all_kwargs())
        if trial:
            tuner.post_hook(full, exception=None)


def _played(trials, x):
    """inplace_softmax(x), with these trials in place of a GPU's."""
    import answer

    def tuned(tuner, *args, grid=None, warmup=False, **kwargs):
        return None if warmup else trials.run(tuner, args, grid, kwargs)

    def with_values(kernel, *args, grid=None, warmup=False, **kwargs):
        given = {**dict(zip(kernel.arg_names, args)), **kwargs}
        return None if warmup else kernel.fn[grid](*args, **{**kwargs, **heuristic_values(kernel, given)})

    autotuner, heuristics = tuners()
    with mock.patch.object(autotuner, "run", tuned), mock.patch.object(heuristics, "run", with_values):
        trials.tuned.append(False)
        answer.inplace_softmax(x)
    return trials


def check_tuned(x, which):
    """x after inplace_softmax(x), where configuration number `which` is the fastest."""
    _played(_Trials(which), x)
    return x


def check_choices(x):
    """(values of ROWS, values of num_warps, configurations), for the name of a mistake alone."""
    configs = {str(sorted(c.all_kwargs().items())): c for c in _played(_Trials(0), x).configs}.values()
    rows = {config.kwargs.get("ROWS") for config in configs}
    return len(rows), len({config.num_warps for config in configs}), len(configs)


_in_a_row = []


def check_tunings(x, first):
    """For each call since the last with `first`, whether it was tuned, for the name of a mistake alone."""
    if first:
        _in_a_row[:] = [_Trials(0)]
    return tuple(_played(_in_a_row[0], x).tuned)


def check_traffic(x, which):
    """x after inplace_softmax(x) without a trial."""
    _played(_Trials(which, tries=False), x)
    return x
