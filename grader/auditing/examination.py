"""The examination of one case: its numbers, its accesses and its order of programs, and the faults that they show."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import partial

import torch

from ..checks.bounds import HALF
from ..checks.compare import unstored_loaded
from ..interpreter import EndlessKernel, OutOfBounds
from ..sentence import Said, counted, listed, message, said
from . import kernel_lines, order_of_programs
from .arguments import Arguments, dtype_name, is_coarse, is_tensor
from .cases import Case
from .compiled_for import Compiling
from .expected import Expected, ReferenceFailed, expected, looks_at
from .findings import Fault, Findings
from .kernel_lines import Line, Witness
from .launched_numbers import in_single
from .numbers_compared import Wrong, compared, nan_or_not, used
from .one_run import Run, run
from .sizes import are_distinct, blocks_of, parts_of
from .tuning import Tuning

_ALL_ORDERED, _SOME_ORDERED = 8, 4  # cases that run in other orders too: so many, and then each fourth one
_NO_ROWS = 1 << 62  # so large is a case without rows: where another one shows a fault too, that one is shown
_CLOSE = 0.5  # of the allowed error: what comes nearer to it is compared with all that is allowed, too
_MAGNIFIED = 64  # times that the error of a plain number in float32 is added to it
_MOST = 1 << 25  # elements of the given arguments; the reference gets copies of them in float64
_SMALL = 1 << 16  # elements of a case that is run once more to find the lines of its accesses


class CannotAudit(ValueError):
    """There is nothing to audit."""


@dataclass
class Counts:
    """How many cases ran, by kind; how many the reference and the function refused; the largest share of the allowed
    error that a right number had."""

    cases: Counter[str] = field(default_factory=Counter)
    without_reference: int = 0
    refused: int = 0
    used: float = 0.0

    def total(self) -> int:
        """All cases that ran."""
        return sum(self.cases.values())


class Examination:
    """What has been found so far of one function."""

    def __init__(self, function, reference, gpus: tuple[str, ...], seed: int):
        self.function, self.reference, self.gpus, self.seed = function, reference, gpus, seed
        self.findings, self.counts = Findings(), Counts()
        self.tuning, self.configurations = Tuning(), 1  # configurations: of autotuned kernels, how many have run
        self.changes: list[int] = []  # places of the arguments that the reference stores to
        self.parts: dict[int, int] = {}  # as `sizes.parts_of` has them
        self.unseen: list[str] = []
        self.given: Run | None = None  # the first run that ended well
        self.compiling: Compiling | None = None  # its launches
        # Of the results, by those of the tensors that a call was given.
        self._dtypes: dict[frozenset, set[torch.dtype]] = defaultdict(set)
        self._constants: set[int] = set()
        self._ordered = 0
        self._distinct: list[int] = []  # places of the arguments that hold whole numbers of which no two are equal
        self._rounding = False  # whether it is noted what rounded plain numbers make of a result
        self._repeating = False  # whether it is noted what comes of equal ones
        self._outputs: list[int] = []  # as in _Seen
        self.launched = False  # whether any call has launched a kernel
        self._raises = ""  # for the given arguments
        self._kernel = False  # whether a bare kernel is audited, whose workspaces are arguments too

    def begin(self, given: Arguments) -> None:
        """Look at the reference alone. Raises CannotAudit where it fails on the given arguments."""
        if given.size() > _MOST:
            told = said(
                "the inputs have {count} elements, and {most} are the most: the cases have other sizes anyway",
                count=f"{given.size():,}",
                most=f"{_MOST:,}",
            )
            raise CannotAudit(told)
        for name, leaf in zip(given.names, given.leaves):
            if isinstance(leaf, torch.Tensor) and (kind := _unfit(leaf)):
                raise CannotAudit(
                    said("{name} is a {kind} tensor, of which no cases can be made", name=name, kind=kind)
                )
        self._distinct = [i for i, tensor in given.tensors().items() if are_distinct(tensor)]
        self._kernel = given.constants is not None
        try:
            wanted = expected(self.reference, given, set(), self.seed)
            self.changes, self.parts = wanted.changed, parts_of(given, wanted.results)
        except ReferenceFailed as error:
            raise CannotAudit(said("the reference fails on the given inputs: {error}", error=error)) from None
        if not wanted.results:
            raise CannotAudit(said("the reference returns no tensor and changes no argument"))

    def not_seen(self, sentence: str) -> None:
        """Add something that the audit could not look at."""
        if sentence not in self.unseen:
            self.unseen.append(sentence)

    def blocks(self) -> set[int]:
        """Lengths that blocks of the launches so far may have."""
        return self._constants

    def accepts(self, arguments: Arguments) -> bool:
        """Whether the reference and the function take these arguments without an error of their own."""
        try:
            expected(self.reference, arguments, set(), self.seed)
        except ReferenceFailed:
            return False
        error = run(self.function, arguments).error
        return error is None or isinstance(error, OutOfBounds)

    def numbers_given(self, arguments: Arguments) -> set[int]:
        """The whole numbers that kernels get for these arguments."""
        launched = run(self.function, arguments).launched
        return {value for launch in launched for value in launch.arguments.values() if type(value) is int}

    def examine(self, case: Case) -> None:
        """Run one case, and keep what it shows."""
        with self.tuning.of(case.turn, case.rehearsed):
            self._examine_any(case)
        self.configurations = max(self.configurations, case.turn + 1)

    def _examine_any(self, case: Case) -> None:
        if not case.promised:
            self._beyond_promises(case)
            return
        for make in case.makes:
            try:
                arguments = make()
                wanted = self._wanted(case, arguments) if arguments else None
            except ReferenceFailed:
                continue
            except OSError:
                self.not_seen(case.label)
                return
            if wanted is None:
                return
            if case.where_nan == "left out" and any(result.isnan().any() for result in wanted.results):
                self.not_seen(said("-inf among the inputs, for which the reference is NaN"))
                return  # -inf is no number that the function is for
            if self._examine(case, make, arguments, wanted, last=make is case.makes[-1]):
                return
        self.counts.without_reference += 1

    def _beyond_promises(self, case: Case) -> None:
        """Note the vectors whose strides the function does not look at. An error of its own is an answer, too."""
        usual, names = run(self.function, case.usual()), []
        if usual.error is not None:
            return
        for make in case.makes:
            arguments = make()
            if arguments is None:
                continue
            try:
                wanted = self._expected(arguments)
            except ReferenceFailed:
                continue
            done = run(self.function, make())
            seen = _Seen(case, make, "", 0, done, wanted, self._outputs)
            self.counts.cases[case.kind] += 1
            if isinstance(done.error, OutOfBounds) or (done.error is None and seen.differs_from(usual)):
                names += [arguments.names[i] for i, t in arguments.tensors().items() if t.ndim == 1 and t.stride(0) > 1]
        if names:
            self.findings.note(
                said(
                    "the stride of {list} is taken to be 1: where elements lie apart, as in {first}[::2], it computes "
                    "with what is between them",
                    list=listed(names),
                    first=names[0],
                )
            )

    def _wanted(self, case: Case, arguments: Arguments) -> Expected:
        wanted = self._expected(arguments)
        if case.where_nan != "elsewhere":
            return wanted
        usual = case.usual()
        return wanted.where_as(self._expected(usual)).where_apart_from(self.reference, usual, arguments)

    def _expected(self, arguments: Arguments) -> Expected:
        return expected(self.reference, arguments, self._dtypes[arguments.dtypes()], self.seed, self.changes)

    def _examine(self, case: Case, make, pristine: Arguments, wanted: Expected, last: bool) -> bool:
        """Whether the function took the arguments, or these are the last ones to try."""
        words, size = case.described(pristine), _NO_ROWS if case.kind == "empty" else pristine.size()
        done = self._run(case, make)
        self.launched |= bool(done.launched)
        if not (dtypes := {result.dtype for result in done.results}) <= self._dtypes[pristine.dtypes()]:
            self._dtypes[pristine.dtypes()] |= dtypes
            wanted = self._wanted(case, pristine)
        seen = _Seen(case, make, words, size, done, wanted, self._outputs)
        if done.error is not None:
            return self._raised(seen, last)
        self.counts.cases[case.kind] += 1
        self._know(done)
        if case.kind == "given" and not done.returned:
            self._outputs = [i for i in done.changed() if i not in wanted.changed]
        if not wanted.exact:
            self.not_seen(said("the reference in float64, which it refuses: it computed in the dtypes of the inputs"))
        self._numbers(seen)
        self._inputs(seen)
        if case.kind == "given" and any(launch.tf32 for launch in done.launches):
            self._in_tf32(seen)
        if case.orders and self._orders_due() and not self.findings.known(("order",), words, size):
            self._in_order(seen, make)
        return True

    def _orders_due(self) -> bool:
        """Whether a case also runs in other orders: the first ones, and some of the others."""
        self._ordered += 1
        return self._ordered <= _ALL_ORDERED or self._ordered % _SOME_ORDERED == 0

    def _run(self, case: Case, make, **conditions) -> Run:
        again = case.kind == "again"
        return self._again(case, make, **conditions) if again else run(self.function, make(), **conditions)

    def _again(self, case: Case, make, **conditions) -> Run:
        """A second call with the same tensors, in which other numbers lie by then."""
        arguments = case.usual()
        run(self.function, arguments, **conditions)
        for place, numbers in make().tensors().items():
            arguments.leaves[place].copy_(numbers)
        return run(self.function, arguments, **conditions)

    def _know(self, done: Run) -> None:
        if self.given is None:
            self.given, self.compiling = done, Compiling(done.launched, self.gpus)
        self._constants |= blocks_of(v for launch in done.launches for v in launch.constants.values())

    def _raised(self, seen: _Seen, last: bool) -> bool:
        """Keep what an error shows. Whether no other form of the case is to be tried."""
        case, words, done = seen.case, seen.words, seen.done
        error, lines = done.error, kernel_lines.of_error(done.error)
        if isinstance(error, OutOfBounds):
            self.counts.cases[case.kind] += 1
            self._fault("memory", _outside(error, case), seen, lines, ("outside", error.where.get("op"), lines))
        elif isinstance(error, EndlessKernel):
            self.counts.cases[case.kind] += 1
            self._fault("numbers", message(error), seen, lines, ("endless", lines))
        elif case.kind == "given":
            self._raises = _named(error)
            self.counts.cases[case.kind] += 1
            told = said("interpreted, it raises {type}: {error}", type=type(error).__name__, error=error)
            self._fault("numbers", told, seen, lines, ("raises", lines))
        elif last:
            self.counts.refused += 1
            told = _first_line(error) or (lines[0].text if lines else "")
            if _named(error) != self._raises:  # that is a fault already
                self.findings.refused(f"{type(error).__name__}: {told}", case.label or words)
        return last or isinstance(error, (OutOfBounds, EndlessKernel))

    def _numbers(self, seen: _Seen) -> None:
        """Compare results, and the inputs that the reference changes."""
        returned = len(seen.wanted.results) - len(seen.wanted.changed)
        results = seen.returned_by(seen.done)
        if len(results) < returned:
            told = said("it returns {count}, and the reference {returned}", **_counted(len(results), returned))
            self._fault("numbers", told, seen, (), ("count",))
            return
        if len(results) > returned:
            self.findings.note(
                said(
                    "it returns {count}, and the reference {returned}: the others were not compared",
                    **_counted(len(results), returned),
                )
            )
        stored = [] if seen.done.returned else seen.places_of_results()
        names = ["result"] if returned == 1 else [f"result {i}" for i in range(returned)]
        names = [seen.done.arguments.names[i] for i in stored] or names
        results = seen.results_of(seen.done)
        names += [seen.done.arguments.names[i] for i in seen.wanted.changed]
        for place, name in enumerate(names):
            if not any(_is_same(seen, results, place, earlier) for earlier in range(min(place, returned))):
                self._result(seen, place, name, results[place])

    def _result(self, seen: _Seen, place: int, name: str, got: torch.Tensor) -> None:
        want, error = seen.wanted.results[place], seen.wanted.allowed[place]
        if seen.case.where_nan == "elsewhere" and got.shape == want.shape:
            self._spread(seen, name, got, want)
            error = torch.where(got.isnan(), torch.inf, error)
        if additions := _of_additions(seen, got, want):
            error = error + additions
            self.findings.note(
                said(
                    "atomics add to {name} in half precision: each addition rounds, and a sum of many terms may be far "
                    "off, so a larger error is allowed than for a sum in float32",
                    name=name,
                )
            )
        by_pytorch = seen.done.stored_by_pytorch(got)
        wrong = compared(name, got, want, error, by_pytorch)
        for beside in seen.wanted.besides:
            if wrong is not None or used(got, want, error) > _CLOSE:
                error = torch.maximum(error, seen.wanted.allowed_beside(place, beside))
                wrong = compared(name, got, want, error, by_pytorch)
        if wrong is None:
            wrong = self._never_stored(seen, place, name, got)
        elif (exact := self._with_exact_numbers(seen, place, wrong, got)) is not None:
            if compared(name, exact, want, error) is None:
                self._note_rounded(seen, name, got, want, error)
                got, wrong = exact.to(got.dtype), None
        if wrong is None:
            self._right(seen, place, name, got, error)
        else:
            self._wrong(seen, place, name, got, wrong, by_pytorch)

    def _wrong(self, seen: _Seen, place: int, name: str, got: torch.Tensor, wrong: Wrong, by_pytorch: bool) -> None:
        """Keep what is wrong with a result, with its lines."""
        family = seen.case.kind if seen.case.kind not in ("given", "size", "empty") else "size"
        if any(fault.symptom == ("wrong", name, "size") for fault in self.findings.faults):
            family = "size"  # it is wrong for plain inputs already
        symptom = "wrong", name, family
        if self.findings.known(symptom, seen.words, seen.size):
            return
        lines: tuple[Line, ...] = ()
        told = wrong.sentence
        if wrong.at is not None and seen.done.arguments.size() <= _SMALL:
            witness = Witness()
            again = run(self.function, seen.make(), recorder=witness)
            if wrong.stored and (lines := self._masked(seen, place, got, witness)):
                told = said("{wrong}: masked lanes of a load without `other` are part of it", wrong=wrong.sentence)
                self._fault("memory", told, seen, lines, ("masked", lines), symptom)
                return
            lines = self._lines(seen, place, wrong, again, witness)
            if wrong.stored and not by_pytorch and self._left_alone(seen, place, wrong.at, again, witness):
                told = said("{wrong}; no program stores to this element", wrong=told)
            elif wrong.stored and not got.is_floating_point() and self._depends_on_memory(seen, place, wrong.at, got):
                told = said("{wrong}; it is computed from memory that was never stored", wrong=told)
                wrong = replace(wrong, stored=False)
        if seen.case.rehearsed and wrong.stored:
            told = said(
                "{wrong}; an autotuned kernel that changes what it loads needs `restore_value` or `reset_to_zero`",
                wrong=told,
            )
        stored = wrong.stored and not (wrong.at is not None and unstored_loaded(got[wrong.at].reshape(1)))
        self._fault("numbers" if stored else "memory", told, seen, lines, symptom, symptom)
        if family == "size":  # what came with other numbers or places may come from it
            self.findings.absorb(symptom, [each for each in self.findings.symptoms() if each[:2] == symptom[:2]])

    def _never_stored(self, seen: _Seen, place: int, name: str, got: torch.Tensor) -> Wrong | None:
        """What is wrong with truth values that are right by luck: memory has no mark that they could hold."""
        if got.dtype != torch.bool or seen.case.kind not in ("given", "size") or seen.done.stored_by_pytorch(got):
            return None
        apart = self._apart_with_other_memory(seen, place, got)
        if apart is None or not apart.any():
            return None
        at = tuple(int(i) for i in apart.nonzero()[0])
        where = f"{name}[{', '.join(map(str, at))}]" if at else name
        return Wrong(said("{where} was never stored", where=where), at, False)

    def _depends_on_memory(self, seen: _Seen, place: int, at: tuple[int, ...], got: torch.Tensor) -> bool:
        """Whether an element is another one where memory from torch.empty holds other numbers."""
        apart = self._apart_with_other_memory(seen, place, got)
        return apart is not None and bool(apart[at])

    def _apart_with_other_memory(self, seen: _Seen, place: int, got: torch.Tensor) -> torch.Tensor | None:
        """Which elements differ where memory from torch.empty holds other numbers. None where that cannot be said."""
        other = self._run(seen.case, seen.make, zeros=True)
        results = seen.results_of(other) if other.error is None else []
        return results[place] != got if place < len(results) and results[place].shape == got.shape else None

    def _with_exact_numbers(self, seen: _Seen, place: int, wrong: Wrong, got: torch.Tensor) -> torch.Tensor | None:
        """What a result would be if plain numbers reached the kernels as they are, float64. None where they do.

        A launch rounds each float of Python to float32: of 0.999, a kernel has 1 - 0.999 right to 10^-5 only. The
        result moves by what is taken off here when this error is added to each number once more. It is added many
        times, so that what float32 rounds in the kernel counts little in the difference.
        """
        floats = (v for launch in seen.done.launched for v in launch.arguments.values() if type(v) is float)
        if not wrong.stored or not got.is_floating_point() or is_coarse(got) or all(v == in_single(v) for v in floats):
            return None
        moved = self._run(seen.case, seen.make, magnified=_MAGNIFIED)
        results = seen.results_of(moved) if moved.error is None else []
        if place >= len(results) or results[place].shape != got.shape:
            return None
        return got.double() - (results[place].double() - got.double()) / _MAGNIFIED

    def _note_rounded(self, seen: _Seen, name: str, got: torch.Tensor, want: torch.Tensor, error: torch.Tensor) -> None:
        """Note once what the rounding of plain numbers makes of a result."""
        if self._rounding:
            return
        self._rounding = True
        off = (got.double() - want.double()).abs()
        at = (off / error.clamp(min=1e-300)).nan_to_num(0.0, 0.0, 0.0).argmax()
        floats = [k for each in seen.done.launched for k, v in each.arguments.items() if type(v) is float]
        self.findings.note(
            said(
                "{name} is off by {off}, and {limit} is allowed: a launch rounds {list} to float32. With the exact "
                "numbers it is right, so this is no fault",
                name=name,
                off=f"{off.reshape(-1)[at]:.2g}",
                limit=f"{error.reshape(-1)[at]:.1g}",
                list=listed([*dict.fromkeys(floats)]),
            )
        )

    def _spread(self, seen: _Seen, name: str, got: torch.Tensor, want: torch.Tensor) -> None:
        """Note that NaN reaches more of a result than in the reference: 0 times NaN is one, where a mask should be."""
        count = int((got.isnan() & want.isfinite()).sum()) if want.is_floating_point() else 0
        if count:
            values = {"case": seen.case.label, "name": name, "count": count, "of": got.numel()}
            self.findings.note(
                said("{case}: {count} of {of} elements of {name} are NaN, where the reference has numbers", **values)
            )

    def _right(self, seen: _Seen, place: int, name: str, got: torch.Tensor, error: torch.Tensor) -> None:
        want = seen.wanted.results[place]
        self.counts.used = max(self.counts.used, used(got, want, error))
        if nan_or_not(got, want):
            self.findings.note(
                said(
                    "{case}: {name} has a number where the reference has NaN",
                    case=seen.case.label or seen.words,
                    name=name,
                )
            )
        native = seen.wanted.native
        if native is not None and native[place].dtype != got.dtype:
            self.findings.note(
                said(
                    "{name} is {got}, and that of the reference {want}",
                    name=name,
                    got=dtype_name(got.dtype),
                    want=dtype_name(native[place].dtype),
                )
            )

    def _in_tf32(self, seen: _Seen) -> None:
        """Note how far off a result is where tl.dot rounds float32 as on a GPU. Many mean it to."""
        done = run(self.function, seen.make(), tf32=True)
        kernels = dict.fromkeys(launch.kernel for launch in done.launches if launch.tf32)
        for place, got in enumerate(seen.results_of(done)):
            want, error = seen.wanted.results[place], seen.wanted.allowed[place]
            if got.shape != want.shape or used(got, want, error) <= 1:
                continue
            off = (got.double() - want.double()).abs().nan_to_num(0.0, 0.0, 0.0)
            at = (off / error.clamp(min=1e-300)).argmax()
            values = {"off": f"{off.reshape(-1)[at]:.2g}", "limit": f"{error.reshape(-1)[at]:.1g}"}
            self.findings.note(
                said(
                    'tl.dot in {list} is not told input_precision="ieee": where a GPU rounds float32 to tf32, which '
                    "keeps 10 bits after the point, a result as given is off by {off}, and {limit} is allowed",
                    list=listed([*kernels]),
                    **values,
                )
            )
            return

    def _masked(self, seen: _Seen, place: int, got: torch.Tensor, witness: Witness) -> tuple[Line, ...]:
        """The loads without `other` whose masked lanes are part of a result: all of them, where any matters."""
        loads = kernel_lines.without_other(witness)
        if not loads:
            return ()
        again = run(self.function, seen.make(), poison=False)
        results = seen.results_of(again)
        if again.error is None and place < len(results) and order_of_programs.same(results[place], got):
            return ()
        return tuple(line for line, _ in loads)

    def _lines(self, seen: _Seen, place: int, wrong: Wrong, again: Run, witness: Witness) -> tuple[Line, ...]:
        """The line that stored a wrong element, or those that stored others of this result.

        Where no kernel stored any of it: those that stored what is neither a result nor an input, or the only kernel.
        """
        results = seen.results_of(again)
        if again.error is not None or place >= len(results):
            return ()
        if witness.unstored and unstored_loaded(results[place].detach()[wrong.at].reshape(1)):
            return tuple(witness.unstored)
        if lines := witness.lines_of(results[place].detach(), wrong.at):
            return lines
        if wrong.stored and (lines := witness.lines_beside(filter(is_tensor, [*results, *again.arguments.leaves]))):
            return lines  # a sum over programs, say, that PyTorch computes of what a kernel has stored
        kernels = {launched.kernel for launched in again.launched} or {self.function}
        return kernel_lines.first_line(*kernels) if len(kernels) == 1 else ()

    def _left_alone(self, seen: _Seen, place: int, at: tuple[int, ...], again: Run, witness: Witness) -> bool:
        """Whether kernels ran and none of them stored to an element of a result."""
        results = seen.results_of(again)
        known = again.error is None and place < len(results) and bool(again.launched)
        return known and not witness.stores_to(results[place].detach(), at)

    def _inputs(self, seen: _Seen) -> None:
        """Inputs that the call has changed, and the reference has not."""
        for i in seen.done.changed():
            if i in seen.wanted.changed or not (seen.done.returned or self._is_input(seen, i)):
                continue
            if self.findings.known(("changed", i), seen.words, seen.size):
                continue
            before, after = seen.done.before[i], seen.done.arguments.leaves[i].detach()
            at = tuple(int(k) for k in ((before != after) & ~((before != before) & (after != after))).nonzero()[0])
            name = seen.done.arguments.names[i]
            told = said(
                "the call changes its input {name}, which the reference leaves as it is: {where} was {before} and is "
                "{after}",
                name=name,
                where=f"{name}[{', '.join(map(str, at))}]",
                before=f"{before[at].item():.6g}",
                after=f"{after[at].item():.6g}",
            )
            lines: tuple[Line, ...] = ()
            if seen.done.arguments.size() <= _SMALL:
                witness = Witness()
                again = run(self.function, seen.make(), recorder=witness)
                lines = witness.lines_of(again.arguments.leaves[i].detach(), at)
            self._fault("memory", told, seen, lines, ("changed", i), ("changed", i))

    def _is_input(self, seen: _Seen, place: int) -> bool:
        """Whether a function that returns nothing has no business with this tensor: it is none of its results, and
        the reference looks at its numbers, as at those of no workspace."""
        if self._kernel or place in seen.places_of_results():
            return False
        return looks_at(self.reference, seen.make(), place, seen.wanted.changed)

    def _in_order(self, seen: _Seen, make) -> None:
        repeating = [i for i in self._distinct if _repeats(seen.done.arguments.leaves[i])]
        if not repeating:
            order_of_programs.examine(self.function, make, seen.done, partial(self._order, seen))
        elif not self._repeating:
            order_of_programs.examine(self.function, make, seen.done, partial(self._repeated, seen, repeating))

    def _order(self, seen: _Seen, told: str, lines: tuple[Line, ...], kind: str) -> None:
        self._fault("order", told, seen, lines, (kind, lines), ("order",))

    def _repeated(self, seen: _Seen, places: list[int], told: str, lines: tuple[Line, ...], kind: str) -> None:
        """Note what comes of numbers that the case repeats and the given arguments do not: two tokens of one slot."""
        names = ", ".join(seen.done.arguments.names[i] for i in places)
        self.findings.note(
            said(
                "{told}: only where numbers in {names} are equal, and of those given no two are", told=told, names=names
            )
        )

    def _fault(self, section: str, sentence: str, seen: _Seen, lines: tuple, key: tuple, symptom: tuple = ()) -> None:
        self.findings.fault(Fault(section, sentence, seen.words, seen.size, lines, key, symptom))


@dataclass
class _Seen:
    """A case that ran: its words, the elements of its arguments, its run and what was expected of it.

    outputs: places of the arguments that a function without a result has stored its results in as given: zeros over
    zeros change nothing.
    """

    case: Case
    make: object
    words: str
    size: int
    done: Run
    wanted: Expected
    outputs: list[int] = field(default_factory=list)

    def returned_by(self, run: Run) -> list[torch.Tensor]:
        """What a run of the function returned, or stored in arguments in place of that."""
        returned = len(self.wanted.results) - len(self.wanted.changed)
        if run.returned or not returned or run.results:
            return run.results
        stored = [run.arguments.leaves[i].detach() for i in self.places_of_results()]
        return [_without_ones(got, want.shape) for got, want in zip(stored, self.wanted.results)]

    def places_of_results(self) -> list[int]:
        """The places of the arguments in which a function without a result stores those of the reference.

        These are what it changes alone; else what the reference changes as well, and returns: x of x.mul_(s).
        """
        returned = len(self.wanted.results) - len(self.wanted.changed)
        places = self.outputs or [i for i in self.done.changed() if i not in self.wanted.changed]
        if places:
            return places[:returned]
        results, changed = self.wanted.results[:returned], self.wanted.results[returned:]
        found = [
            [i for i, want in zip(self.wanted.changed, changed) if order_of_programs.same(want, result)]
            for result in results
        ]
        return [each[0] for each in found] if all(found) else []

    def differs_from(self, usual: Run) -> bool:
        """Whether a result is another one than usual, and wrong."""
        results, before = self.results_of(self.done), self.results_of(usual)
        return any(
            not order_of_programs.same(got, other) and compared("", got, want, error) is not None
            for got, other, want, error in zip(results, before, self.wanted.results, self.wanted.allowed)
        )

    def results_of(self, run: Run) -> list[torch.Tensor]:
        """The results of a run in the order of those that are expected: returned ones, and arguments that change."""
        returned = len(self.wanted.results) - len(self.wanted.changed)
        changed = [run.arguments.leaves[i].detach() for i in self.wanted.changed]
        return [*self.returned_by(run)[:returned], *changed]


def _outside(error: OutOfBounds, case: Case) -> str:
    """The sentence of the guard; also why, where rows lie far apart and an address came out below its tensor."""
    if case.kind == "far" and (error.where.get("column") or 0) < 0:
        return said("{error} An offset of 32 bits wraps at 2^31.", error=error)
    return message(error)


def _is_same(seen: _Seen, results: list[torch.Tensor], one: int, other: int) -> bool:
    """Whether two results are one tensor, of which the same is expected: an argument that is changed and returned."""
    a, b = results[one], results[other]
    wanted = seen.wanted.results
    same_memory = (a.data_ptr(), a.numel()) == (b.data_ptr(), b.numel()) and a.numel() > 0
    return (
        same_memory
        and wanted[one].numel() == wanted[other].numel()
        and order_of_programs.same(wanted[one].reshape(-1), wanted[other].reshape(-1))
    )


def _without_ones(stored: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """What was stored in an argument, in this shape if only axes of length 1 differ: one number is a vector of one."""
    same = [n for n in stored.shape if n != 1] == [n for n in shape if n != 1]
    return stored.reshape(shape) if same and stored.is_contiguous() else stored


def _of_additions(seen: _Seen, got: torch.Tensor, want: torch.Tensor) -> float:
    """The error of atomics that add to memory in half precision: each addition rounds, in PyTorch's own as well."""
    if got.dtype not in HALF or not any(launch.atomics for launch in seen.done.launches) or not want.numel():
        return 0.0
    additions = seen.done.bytes_of(got)[1] / (got.numel() * got.element_size())
    largest = float(want.abs().nan_to_num(0.0, 0.0, 0.0).max())
    return (2 * additions) ** 0.5 * torch.finfo(got.dtype).eps / 2 * largest if additions > 1 else 0.0


def _unfit(tensor: torch.Tensor) -> Said | None:
    """What a tensor is whose numbers do not lie in memory one by one, as a kernel needs them; None where they do."""
    kinds = {
        said("nested"): tensor.is_nested,
        said("sparse"): tensor.layout != torch.strided,
        said("meta"): tensor.is_meta,
        said("quantized"): tensor.is_quantized,
        said("complex"): tensor.is_complex(),
    }
    return next((kind for kind, found in kinds.items() if found), None)


def _counted(count: int, returned: int) -> dict[str, Said]:
    """How many tensors a function returns, and how many its reference does, in words."""
    several = (counted(n, "tensor") if n else said("no tensor") for n in (count, returned))
    return dict(zip(("count", "returned"), several))


def _repeats(tensor: torch.Tensor) -> bool:
    """Whether two numbers that may be places are equal."""
    return tensor.numel() > 1 and not are_distinct(tensor)


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {_first_line(error)}"


def _first_line(error: BaseException) -> str:
    return (message(error).splitlines() or [""])[0][:200]
