"""Checks of kernels that were right in the interpreter: Triton's compiler, and a GPU where there is one."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from dataclasses import replace

from ..mistakes.errors import from_error
from ..protocol import schema
from ..protocol.kernels import Global, KernelFunction, KernelProgram
from ..sentence import fault, foreign, said
from ..spec import Answer, Case, Error, Evidence, Exercise, Launch, Machine
from . import render, zygotes
from .diagnose import Seen
from .session import Session, ToLower, to_lower
from .time_limit import TimeLimit
from .verdict import Failure, verified

# By the hash of a launch: what the compiler made of it, or its error; and its machine code.
_lowered: dict[bytes, tuple[list | None, Error | None]] = {}
_assembled: dict[bytes, Machine] = {}
_MOST_LOWERED, _MOST_ASSEMBLED = 2_000, 10_000
_able: set[bool] = set()  # {True} once this machine has lowered a kernel

_STORE = KernelFunction(
    "store", "def store(x_ptr): tl.store(x_ptr, 1.0)", jit=True, names={"tl": Global("module", "triton.language")}
)
_BLAMELESS = json.dumps(schema.pack(KernelProgram([_STORE]), KernelProgram))
_LONGER = 3  # times the limit: a second try for an assembler that did not finish, as on a slow machine
_FIRST = 30.0  # seconds for the first kernel that this machine lowers
_GPU_START = 60.0  # extra seconds to initialise the GPU and to compile


class Ended(Exception):
    """Triton's compiler did not come to an end with a kernel. mistake: its name. The message is a sentence."""

    def __init__(self, sentence: str, mistake: str):
        super().__init__(sentence)
        self.mistake = mistake


class FrontEnd:
    """Triton's front end, for the launches of one answer: each is lowered before it runs interpreted.

    limit: the time of the answer, from which compiling takes its own. flags: gets a sentence if a kernel could not be
    lowered. refusals: errors of the compiler, in the order of the launches; who reads them clears them.
    """

    def __init__(self, limit: TimeLimit, flags: list[str]):
        self._limit, self._flags = limit, flags
        self._session: Session | None = None
        self.refusals: list[Error] = []

    def wait(self) -> None:
        """Return when the process that forks its own is ready: it imports Triton, and no answer pays for that.

        Before the first answer runs, it lowers a kernel that no answer wrote. Where this succeeds, no kernel runs
        unseen later, whatever becomes of the memory and the processes of this machine.
        """
        with contextlib.suppress(zygotes.NoWorker):  # `lower` says so
            zygotes.get("compiled").wait()
        if not _able and _takes_another(_FIRST, assembles=False):
            _able.add(True)

    def lower(self, program: str, launch: ToLower, until: float | None) -> list | None:
        """What the compiler made of a kernel, for the device; None where it refuses the kernel, or is not there.

        Raises Ended, and NoWorker where the compiler was there before.

        program: text of the kernel. until: the second of the limit at which it has to be done.
        """
        key = hashlib.sha256(repr([program, launch]).encode()).digest()
        if key not in _lowered:
            try:
                outcome = self._lower(program, launch, until)
            except (zygotes.Deadline, zygotes.Died, zygotes.NoWorker) as error:
                self.close()
                blame = _fault(error, self._limit.seconds, assembles=False)
                if blame is not None:
                    raise Ended(*blame) from None
                flag = said("not shown to Triton's compiler: {ended}", ended=error)
                if _able:
                    raise zygotes.NoWorker(flag) from None
                if flag not in self._flags:
                    self._flags.append(flag)
                return None
            if len(_lowered) >= _MOST_LOWERED:
                _lowered.clear()
            _lowered[key] = outcome
        lowered, refusal = _lowered[key]
        if refusal is not None and refusal["type"] == "TooMany":  # no interpreter would come to an end either
            raise Ended(said("Triton's compiler does not finish: {told}", told=refusal["message"]), "compiler-endless")
        if refusal is not None:
            self.refusals.append(refusal)
        return lowered

    def _lower(self, program: str, launch: ToLower, until: float | None) -> tuple[list | None, Error | None]:
        if self._session is None:
            self._session = zygotes.get("compiled").open("", self._limit)
        return self._session.lower(program, launch, until)

    def close(self) -> None:
        """End its process."""
        if self._session is not None:
            self._session.close()
            self._session = None


def refused(seen: Seen) -> list[Failure]:
    """The cases with a launch that Triton's compiler refuses, and whose numbers mean nothing therefore.

    An error of a case says more than the compiler does, unless its kernel read a value of the notebook. Where an error
    is expected, the compiler's counts as one.
    """
    failures = []
    for case, evidence in seen:
        if evidence.refusals and not case.expects_error and (evidence.error is None or _reads_a_global(evidence)):
            failures.append(_refusal(case, evidence, evidence.refusals[0]))
    return failures


def _refusal(case: Case, evidence: Evidence, error: Error) -> Failure:
    told = foreign.of_triton(foreign.last_line(error))
    sentence = said("Triton's compiler refuses it: {said}", said=told)
    if error["type"] == "DoubtfulMask":
        sentence = said("Triton's compiler warns: {said}", said=told)
    elif line := error["line"]:
        sentence = said("Triton's compiler refuses it in the line `{line}`: {said}", line=line, said=told)
    if evidence.error is None:
        sentence = said("runs interpreted, but {sentence}", sentence=sentence)
    mistake = from_error(error | {"kernel": True}) or "refused-by-compiler"
    return Failure(case, replace(evidence, error=None), sentence, mistake)


def assemble(seen: Seen, limit: TimeLimit, flags: list[str]) -> list[Failure]:
    """Compile the launches of the cases that judge machine code, for one GPU.

    seen: the cases with their evidence. limit: the time of the answer, which all of its launches take together. flags:
    gets a sentence if the machine code was not looked at.
    """
    failures, seconds = [], limit.seconds
    limits = limit, TimeLimit(_LONGER * seconds)
    for case, evidence in seen:
        if case.machine is None:
            continue
        try:
            wrong = case.machine(_machines(evidence, limits))
        except (zygotes.Deadline, zygotes.Died, zygotes.NotCompiled, zygotes.NoAssembler, zygotes.NoWorker) as error:
            blame = _fault(error, seconds, assembles=True)
            if blame is None:
                flags.append(said("the machine code of the launches was not looked at: {error}", error=error))
                break
            sentence, mistake = blame
            return failures or [
                Failure(case, evidence, fault("way", "right numbers, but {sentence}", sentence=sentence), mistake)
            ]
        if wrong:
            failures.append(Failure(case, evidence, *wrong))
    return failures


def _fault(error: Exception, seconds: float, assembles: bool) -> tuple[str, str] | None:
    """(sentence, mistake) if a kernel is to blame that its compilation ended so; None if this machine may be.

    assembles: whether machine code was to be made.
    """
    if isinstance(error, zygotes.Deadline):
        return said("Triton's compiler is {error}", error=error), "compiler-endless"
    if isinstance(error, (zygotes.NoAssembler, zygotes.NoWorker)) or not _takes_another(seconds, assembles):
        return None
    if isinstance(error, zygotes.NotCompiled):
        return said("Triton's compiler fails on it: {error}", error=error), "compiler-fails"
    return said("Triton's compiler crashes on it"), "compiler-fails"


def _takes_another(seconds: float, assembles: bool) -> bool:
    """Whether Triton's compiler takes a kernel on this machine that cannot be to blame."""
    launch = {"signature": {"x_ptr": "*fp32"}, "constants": {}, "options": {}, "divisible": {"x_ptr": 16}}
    with contextlib.suppress(Exception), zygotes.get("compiled").open("", seconds, assembles=assembles) as session:
        if assembles:
            session.assemble(launch, _BLAMELESS)
            return True
        return session.lower(_BLAMELESS, to_lower(launch))[1] is None
    return False


def _machines(evidence: Evidence, limits: tuple[TimeLimit, TimeLimit]) -> list[tuple[Launch, Machine]]:
    """(launch, its machine code) for each specialisation of the answer's own kernels. Raises as a Session does.

    limits: of all cases together. Where the compiler does not finish in the first one, it gets the second, and begins
    with the first launch that it had not done.
    """
    with contextlib.suppress(zygotes.Deadline, zygotes.Died):
        return _assembled_in(evidence, limits[0])
    return _assembled_in(evidence, limits[1])


def _assembled_in(evidence: Evidence, limit: TimeLimit) -> list[tuple[Launch, Machine]]:
    found = {}
    with contextlib.ExitStack() as opened:

        @functools.cache
        def session() -> Session:
            return opened.enter_context(zygotes.get("compiled").open("", limit, assembles=True))

        for launch in evidence.launches:
            if launch["program"] >= 0:
                program = evidence.programs[launch["program"]]
                key = _digest(program, launch, "signature", "constants", "options", "divisible")
                if key not in _assembled:
                    if len(_assembled) >= _MOST_ASSEMBLED:
                        _assembled.clear()
                    _assembled[key] = session().assemble(launch, program)
                found[key] = launch, _assembled[key]
    return list(found.values())


def _digest(program: str, launch: Launch, *keys: str) -> bytes:
    """The hash of a kernel's text and of some entries of a launch."""
    return hashlib.sha256(repr([program, *(launch[key] for key in keys)]).encode()).digest()


def _reads_a_global(evidence: Evidence) -> bool:
    """Whether a kernel reads a plain value of the notebook, which is no tl.constexpr."""

    def reads_one(text: str) -> bool:
        try:
            functions = schema.unpack(json.loads(text), KernelProgram).functions
        except (ValueError, RecursionError):  # an untrusted text, which need not be a program
            return False
        return any(g.kind == "plain" and not g.constexpr for f in functions for g in f.names.values())

    return any(map(reads_one, evidence.programs))


def on_gpu(exercise: Exercise, answer: Answer, seen: Seen, seconds: float, flags: list[str]) -> list[Failure]:
    """Run the same cases compiled, on the GPU. Raises NoWorker.

    seen: the cases with their interpreted evidence. seconds: time limit. flags: gets the number of right cases.
    """
    failures = []
    try:
        started = zygotes.get("compiled").open(
            answer.source, seconds + _GPU_START, exercise.driver, gpu=True, modules=exercise.modules
        )
        with started as session:
            for case, interpreted in seen:
                if case.interpreted_only:
                    continue
                evidence = Evidence(error=session.loading_error) if session.loading_error else session.run(case.call)
                # A compiled kernel is not counted; the interpreted counts stand.
                evidence.launches, evidence.rows = interpreted.launches, interpreted.rows
                evidence.read, evidence.written = interpreted.read, interpreted.written
                failed = evidence.error is not None and not case.expects_error
                looked_at = replace(case, verify=case.compiled or case.verify)
                sentence = render.error_sentence(evidence.error) if failed else verified(looked_at, evidence)
                if sentence:
                    mistake = from_error(evidence.error) if evidence.error else None
                    failures.append(
                        Failure(
                            case,
                            evidence,
                            said("right interpreted, but on the GPU: {sentence}", sentence=sentence),
                            mistake,
                        )
                    )
                if failed:
                    break  # later calls on the GPU may fail after an error
    except (zygotes.Deadline, zygotes.Died) as error:
        sentence = said("right interpreted, but on the GPU the process ended ({error})", error=error)
        failures.append(Failure(seen[0][0], Evidence(ran=False), sentence))
    asked = sum(not case.interpreted_only for case, _ in seen)
    flags.append(
        fault("compiled", "compiled on the GPU: {value} of {asked} cases", value=asked - len(failures), asked=asked)
    )
    return failures
