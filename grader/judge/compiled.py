"""Checks of kernels that were right in the interpreter: Triton's compiler, and a GPU where there is one."""

from __future__ import annotations

import re

from ..mistakes.errors import from_error
from ..spec import Answer, Evidence, Exercise
from . import render, run_cases, zygotes
from .diagnose import Seen
from .verdict import Failure

_GPU_START = 60.0  # extra seconds to initialise the GPU and to compile


def lower(exercise: Exercise, answer: Answer, seen: Seen, seconds: float, flags: list[str]) -> list[Failure]:
    """Lower the kernels that ran interpreted with Triton's compiler. A compiler error gives a failure.

    seen: the cases with their evidence. seconds: time limit. flags: gets a sentence for each kernel that could not be
    lowered.
    """
    launches = {}
    for case, evidence in seen:
        for launch in [] if case.call.kind == "cuda" else evidence.launches:
            key = repr([launch[k] for k in ("kernel", "signature", "constants", "options")])
            named = "?" not in launch["signature"].values()  # "?": Triton has no name for the type
            own = re.search(rf"\bdef {re.escape(launch['kernel'])}\b", answer.source)  # not a kernel of the course
            if named and own:
                launches.setdefault(key, (case, evidence, launch))
    if not launches:
        return []
    try:
        with zygotes.get("compiled").open(answer.source, seconds, modules=exercise.modules) as session:
            if session.loading_error:
                flags.append("not shown to Triton's compiler: " + render.last_line(session.loading_error))
                return []
            for case, evidence, launch in launches.values():
                found, error = session.lower(launch)
                if error:
                    sentence = f"runs interpreted, but Triton's compiler refuses it: {render.last_line(error)}"
                    return [Failure(case, evidence, sentence, from_error(error) or "refused-by-compiler")]
                if not found:  # a kernel inside a function has no global name
                    flags.append(f"not shown to Triton's compiler: {launch['kernel']} is no global name")
    except (zygotes.Deadline, zygotes.Died, zygotes.NoWorker) as error:
        flags.append(f"not shown to Triton's compiler: {error or 'it took too long'}")
    return []


def on_gpu(exercise: Exercise, answer: Answer, seen: Seen, seconds: float, flags: list[str]) -> list[Failure]:
    """Run the same cases compiled, on the GPU. Raises NoWorker.

    seen: the cases with their interpreted evidence. seconds: time limit. flags: gets the number of right cases.
    """
    failures, text = [], run_cases.text(exercise, answer)
    try:
        started = zygotes.get("compiled").open(text, seconds + _GPU_START, device="cuda", modules=exercise.modules)
        with started as session:
            for case, interpreted in seen:
                if case.interpreted_only:
                    continue
                evidence = Evidence(error=session.loading_error) if session.loading_error else session.run(case.call)
                # A compiled kernel is not counted; the interpreted counts stand.
                evidence.launches, evidence.rows = interpreted.launches, interpreted.rows
                evidence.read, evidence.written = interpreted.read, interpreted.written
                failed = evidence.error is not None and not case.expects_error
                sentence = render.error_sentence(evidence.error) if failed else case.verify(evidence)
                if sentence:
                    mistake = from_error(evidence.error) if evidence.error else None
                    failures.append(Failure(case, evidence, f"right interpreted, but on the GPU: {sentence}", mistake))
                if failed:
                    break  # later calls on the GPU may fail after an error
    except (zygotes.Deadline, zygotes.Died) as error:
        sentence = f"right interpreted, but on the GPU the process ended ({error or 'it ran too long'})"
        failures.append(Failure(seen[0][0], Evidence(ran=False), sentence))
    asked = sum(not case.interpreted_only for case, _ in seen)
    flags.append(f"compiled on the GPU: {asked - len(failures)} of {asked} cases")
    return failures
