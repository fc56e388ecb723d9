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
from ..spec import Answer, Evidence, Exercise, Launch, Machine
from . import render, zygotes
from .diagnose import Seen
from .session import Session
from .verdict import Failure, verified

_taken: set[bytes] = set()  # hashes of launches that the compiler accepted; they are not compiled again
_assembled: dict[bytes, Machine] = {}  # by the hash of a launch
_MOST_TAKEN = 10_000  # the most entries of _taken, and of _assembled

_STORE = KernelFunction(
    "store", "def store(x_ptr): tl.store(x_ptr, 1.0)", jit=True, names={"tl": Global("module", "triton.language")}
)
_BLAMELESS = json.dumps(schema.pack(KernelProgram([_STORE]), KernelProgram))
_LONGER = 3  # times the limit: a second try for a compiler that did not finish, as on a slow machine
_GPU_START = 60.0  # extra seconds to initialise the GPU and to compile


def lower(seen: Seen, seconds: float, flags: list[str]) -> list[Failure]:
    """Lower the kernels that ran interpreted with Triton's compiler. At most one failure: an error, or no end.

    seen: the cases with their evidence. seconds: time limit. flags: gets a sentence if the kernels could not be
    lowered.
    """
    launches = {}
    for case, evidence in seen:
        for launch in evidence.launches:
            if launch["program"] >= 0:
                odd = next((name for name, kind in launch["signature"].items() if kind == "?"), None)
                if odd is not None:
                    sentence = said(
                        "runs interpreted, but Triton has no type for what `{odd}` gets at a launch", odd=odd
                    )
                    return [Failure(case, evidence, sentence, "refused-by-compiler")]
                program = evidence.programs[launch["program"]]
                key = _digest(program, launch, "signature", "constants", "options")
                launches.setdefault(key, (case, evidence, launch, program))
    launches = {key: launch for key, launch in launches.items() if key not in _taken}
    for limit in (seconds, _LONGER * seconds):
        try:
            return _lowered(launches, limit)
        except (zygotes.Deadline, zygotes.Died) as error:
            ended = error
        except zygotes.NoWorker as error:
            ended = error
            break
    blame = _fault(ended, seconds, assembles=False)
    if blame is None:
        flags.append(said("not shown to Triton's compiler: {ended}", ended=ended))
        return []
    sentence, mistake = blame
    case, evidence, *_ = next(launch for key, launch in launches.items() if key not in _taken)
    return [
        Failure(
            case, replace(evidence, error=None), said("runs interpreted, but {sentence}", sentence=sentence), mistake
        )
    ]


def _lowered(launches: dict[bytes, tuple], seconds: float) -> list[Failure]:
    """A failure for the first launch that the compiler refuses. Raises Deadline, Died, NoWorker.

    launches: case, evidence, launch and the text of its kernel, by their hash. Those taken already are left out.
    """
    launches = {key: launch for key, launch in launches.items() if key not in _taken}
    if not launches:
        return []
    with zygotes.get("compiled").open("", seconds) as session:
        for key, (case, evidence, launch, program) in launches.items():
            error = session.lower(launch, program)
            if error:
                failed = evidence.error is not None
                evidence = replace(evidence, error=None)  # the compiler's verdict stands whatever happened then
                told = foreign.of_triton(foreign.last_line(error))
                sentence = said("Triton's compiler refuses it: {said}", said=told)
                if error["type"] == "DoubtfulMask":
                    sentence = said("Triton's compiler warns: {said}", said=told)
                elif line := error["line"]:
                    sentence = said("Triton's compiler refuses it in the line `{line}`: {said}", line=line, said=told)
                if not failed:
                    sentence = said("runs interpreted, but {sentence}", sentence=sentence)
                mistake = from_error(error | {"kernel": True}) or "refused-by-compiler"
                return [Failure(case, evidence, sentence, mistake)]
            if len(_taken) < _MOST_TAKEN:
                _taken.add(key)
    return []


def assemble(seen: Seen, seconds: float, flags: list[str]) -> list[Failure]:
    """Compile the launches of the cases that judge machine code, for one GPU.

    seen, seconds, flags: as for `lower`.
    """
    failures = []
    for case, evidence in seen:
        if case.machine is None:
            continue
        try:
            wrong = case.machine(_machines(evidence, seconds))
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
        return session.lower(launch, _BLAMELESS) is None
    return False


def _machines(evidence: Evidence, seconds: float) -> list[tuple[Launch, Machine]]:
    """(launch, its machine code) for each specialisation of the answer's own kernels. Raises as a Session does.

    Where the compiler does not finish, it gets more time once, and begins with the first launch that it had not done.
    """
    with contextlib.suppress(zygotes.Deadline, zygotes.Died):
        return _assembled_in(evidence, seconds)
    return _assembled_in(evidence, _LONGER * seconds)


def _assembled_in(evidence: Evidence, seconds: float) -> list[tuple[Launch, Machine]]:
    found = {}
    with contextlib.ExitStack() as opened:

        @functools.cache
        def session() -> Session:
            return opened.enter_context(zygotes.get("compiled").open("", seconds, assembles=True))

        for launch in evidence.launches:
            if launch["program"] >= 0:
                program = evidence.programs[launch["program"]]
                key = _digest(program, launch, "signature", "constants", "options", "divisible")
                if key not in _assembled:
                    if len(_assembled) >= _MOST_TAKEN:
                        _assembled.clear()
                    _assembled[key] = session().assemble(launch, program)
                found[key] = launch, _assembled[key]
    return list(found.values())


def _digest(program: str, launch: Launch, *keys: str) -> bytes:
    """The hash of a kernel's text and of some entries of a launch."""
    return hashlib.sha256(repr([program, *(launch[key] for key in keys)]).encode()).digest()


def reading_globals(seen: Seen) -> Seen:
    """The cases whose kernels read a plain value of the notebook, which is no tl.constexpr."""

    def reads_one(text: str) -> bool:
        try:
            functions = schema.unpack(json.loads(text), KernelProgram).functions
        except (ValueError, RecursionError):  # an untrusted text, which need not be a program
            return False
        return any(g.kind == "plain" and not g.constexpr for f in functions for g in f.names.values())

    return [(case, evidence) for case, evidence in seen if any(map(reads_one, evidence.programs))]


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
