"""Plays the tuning of a GPU for an answer's inplace_softmax: a text that joins the answer, with functions for cases."""

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


def _played(which, *inputs, tries=True):
    """The trials of inplace_softmax, called with each of the inputs.

    which: number of the fastest configuration. tries: whether the others run as well, before the first launch.
    """
    import answer

    trials = _Trials(which, tries)

    def tuned(tuner, *args, grid=None, warmup=False, **kwargs):
        return None if warmup else trials.run(tuner, args, grid, kwargs)

    def with_values(kernel, *args, grid=None, warmup=False, **kwargs):
        given = {**dict(zip(kernel.arg_names, args)), **kwargs}
        return None if warmup else kernel.fn[grid](*args, **kwargs, **heuristic_values(kernel, given))

    autotuner, heuristics = tuners()
    with mock.patch.object(autotuner, "run", tuned), mock.patch.object(heuristics, "run", with_values):
        for x in inputs:
            trials.tuned.append(False)
            answer.inplace_softmax(x)
    return trials


def _copy(x, gap=0):
    """A copy of x, with `gap` elements between its rows: inplace_softmax may change it."""
    return x.new_empty(x.shape[0], x.shape[1] + gap)[:, : x.shape[1]].copy_(x)


def check_tuned(x, gap, which):
    """A copy of x, after inplace_softmax of it."""
    copy = _copy(x, gap)
    _played(which, copy)
    return copy


def check_choices(x):
    """(values of ROWS, values of num_warps, configurations)."""
    configs = {str(sorted(c.all_kwargs().items())): c for c in _played(0, _copy(x)).configs}.values()
    rows = {config.kwargs.get("ROWS") for config in configs}
    return len(rows), len({config.num_warps for config in configs}), len(configs)


def check_tunings(stride, *inputs):
    """Whether each of the calls was tuned. stride: elements from row to row in all of them; 0 for no gaps."""
    return tuple(_played(0, *(_copy(x, stride and stride - x.shape[1]) for x in inputs)).tuned)


def check_traffic(x, which):
    """A copy of x, after inplace_softmax of it without a trial."""
    copy = _copy(x)
    _played(which, copy, tries=False)
    return copy
