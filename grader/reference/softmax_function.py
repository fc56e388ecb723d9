"""Cases for a softmax(x) that others can call: any rows, refusals, and what is odd about its launches."""

from __future__ import annotations

import torch

from ..checks import compare, inputs
from ..spec import Call, Case, Evidence


def block(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()


def lowest(x: torch.Tensor) -> bool:
    """Values near -1e38: exp2 with a scaled exponent is a fair way, but fused on a GPU it loses all digits there."""
    return bool((x < -1e37).all())


def kernel_case(label: str, x: torch.Tensor, call: Call, walks: int = 1, facts: dict | None = None, **more) -> Case:
    """A launch whose first argument must become the softmax of each row of x, read `walks` times.

    facts: what detectors look at besides the usual; more: fields of Case that differ from what a row kernel has.
    """
    strides = {"x_stride": x.stride(0), "y_stride": call.args[0].strides[0]}
    usual = {
        "verify": lambda e: compare.softmax(x, e.args[0]),
        "size": x.numel(),
        "budget": (walks * x.numel(), x.numel()),
        "unit": x.numel(),
        "facts": {"x": x, "out": 0, "block": call.kwargs["BLOCK"]} | strides | (facts or {}),
        "interpreted_only": lowest(x),
    }
    return Case(label, call, **usual | more)


def case(name: str, label: str, x: torch.Tensor, walks: int = 1, size: int = 0) -> Case:
    """name(x) must be the softmax of each row of x, and read x `walks` times."""
    # A view may be copied first, or be refused: both are fair. So only contiguous inputs have a budget.
    # The exercise asks for float32; what does more than that must still be right.
    plain = x.is_contiguous() and x.dtype == torch.float32
    return Case(
        label,
        Call("call", name, (x,)),
        verify=lambda e: _returned(x, e) if plain or not e.error else refused(x, e, "this input"),
        size=size or x.numel(),
        budget=(walks * x.numel(), x.numel()) if plain else None,
        unit=x.numel(),
        expects_error=not plain,
        interpreted_only=lowest(x),
        facts={"x": x, "block": block(x.shape[1]), "x_stride": x.stride(0), "y_stride": x.shape[1]},
    )


def _returned(x: torch.Tensor, evidence: Evidence) -> str | None:
    _, sentence = launch_fault(x, evidence)
    return sentence or compare.softmax(x, evidence.value)


def launch_fault(x: torch.Tensor, evidence: Evidence) -> tuple[str, str] | tuple[None, None]:
    """(mistake, sentence) when something is odd about how the kernel was launched."""
    for launch in evidence.launches:
        warps = launch["options"].get("num_warps", 4)
        if warps not in (1, 2, 4, 8, 16, 32):
            return "bad-num-warps", f"the kernel was launched with num_warps={warps!r}"
    if len(evidence.launches) >= max(len(x), 3):
        return "launch-per-row", f"there were {len(evidence.launches)} launches for {len(x)} rows"
    if not evidence.launches and isinstance(evidence.value, torch.Tensor) and x.is_contiguous():
        return "no-kernel", "no kernel was launched"
    return None, None


def refusals(name: str, g: torch.Generator, *more) -> list[Case]:
    """Inputs that a function of float32 matrices need not take, but must not mistreat. more: its other arguments."""
    unfit = [
        ("one dimension", inputs.randn(1, 5, g)[0], "a 1-D tensor"),
        ("three dimensions", inputs.randn(2, 6, g).reshape(2, 2, 3), "a 3-D tensor"),
        ("float16", inputs.randn(2, 5, g).half(), "float16"),
        ("32-bit integers", torch.arange(6, dtype=torch.int32).reshape(2, 3), "an int32 tensor"),
        ("integers", torch.arange(6).reshape(2, 3), "integers"),
    ]
    return [_refusal(name, label, x, what, more) for label, x, what in unfit]


def _refusal(name: str, label: str, x: torch.Tensor, what: str, more: tuple) -> Case:
    return Case(
        f"an input it cannot take: {label}",
        Call("call", name, (x, *more)),
        verify=lambda e: refused(x, e, what),
        size=10_000,
        facts={"refuses": True},
        expects_error=True,
    )


def refused(x: torch.Tensor | None, evidence: Evidence, what: str, kinds=("ValueError",)) -> str | None:
    """One of these errors with a sentence; or, for floats, the right answer: doing more than asked is no mistake.

    With None for x no answer is right.
    """
    error = evidence.error
    if error is None:
        got = evidence.value
        same = x is not None and isinstance(got, torch.Tensor) and got.shape == x.shape and x.is_floating_point()
        if same and compare.softmax(x.reshape(-1, x.shape[-1]), got.reshape(-1, x.shape[-1])) is None:
            return None
        return f"{what} went through without an error"
    if not set(kinds) & set(error["kinds"]):
        return f"{what} ends in {error['type']}: {error['message'].strip() or 'without a word'}"
    if "raise" not in error["line"]:
        return f"{what} ends in an accident in the line `{error['line']}`: {error['message']}"
    if len(error["message"].split()) < 3:
        return f"{what} is refused with {error['message']!r}, which does not say what was wrong"
    return None
