"""The table of names of Triton's language: what runs in the interpreter of the course, and what a GPU alone can run.

    python tools/language_names.py            write the lists into docs/triton_names.md
    python tools/language_names.py --check    say what is stale, and fail if anything is

Each name has an example: a line of a kernel. As in a check, Triton's front end lowers the kernel first, and then the
interpreter runs it; where the example says so, the numbers are compared with PyTorch's. The lists hold for the Triton
that they name. With another one there is nothing to compare, and --check says so.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
import pathlib
import re
import sys
import textwrap
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

PAGE = ROOT / "docs" / "triton_names.md"  # tools/build.py makes those of other languages of it
LIBDEVICE = "triton.language.extra.cuda.libdevice"
_PLACE = r"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)"
_HEADER = """import triton
import triton.language as tl
from triton.language.extra import cuda, libdevice


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def doubled(a):
    return a + a

"""
_KERNEL = """
@triton.jit
def k_{number}(y_ptr, x_ptr, z_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    k = at + 1
    {body}
    tl.store(y_ptr + at, out)
"""

# name | what a kernel does; its last part, after the last semicolon, is a block of 16 or a number | what comes out.
# x: 16 floats from 0.5 on. k: 1 to 16. z: 16 zeros. What stands in < > is an abbreviation.
_LONG = {
    "<x>": "tl.make_tensor_descriptor(x_ptr, [4, 4], [4, 1], [4, 4])",
    "<z>": "tl.make_tensor_descriptor(z_ptr, [4, 4], [4, 1], [4, 4])",
    "<bits>": "(z_ptr + at).to(tl.pointer_type(tl.int32), bitcast=True)",
    "<bytes>": "tl.full((32, 32), 1, tl.uint8)",
    "<scales>": "tl.full((32, 1), 127, tl.uint8)",
}
EXAMPLES = """
PropagateNan | tl.maximum(x, 1.0, propagate_nan=tl.PropagateNan.ALL) | x.clamp(min=1)
TRITON_MAX_TENSOR_NUMEL | x + tl.TRITON_MAX_TENSOR_NUMEL | x + 1048576
make_tensor_descriptor | d = <x>; tl.reshape(d.load([0, 0]), (N,)) | x
load_tensor_descriptor | d = <x>; tl.reshape(tl.load_tensor_descriptor(d, [0, 0]), (N,)) | x
store_tensor_descriptor | d = <z>; tl.store_tensor_descriptor(d, [0, 0], tl.reshape(x, (4, 4))); tl.load(z_ptr + at) | x
abs | tl.abs(-x) | x
add | tl.add(x, x) | 2 * x
arange | tl.arange(0, N) | k - 1
argmax | tl.argmax(x, 0) | y == 15
argmin | tl.argmin(x, 0) | y == 0
associative_scan | tl.associative_scan(x, 0, added) | x.cumsum(0)
assume | tl.assume(n > 0); x | x
atomic_add | tl.atomic_add(z_ptr + at, x); tl.load(z_ptr + at) | x
atomic_and | a = <bits>; tl.atomic_and(a, k) | 0 * x
atomic_cas | a = <bits>; tl.atomic_cas(a, k * 0, k); tl.load(a) | k
atomic_load | tl.atomic_load(x_ptr + at) | x
atomic_max | tl.atomic_max(z_ptr + at, x); tl.load(z_ptr + at) | x
atomic_min | tl.atomic_min(z_ptr + at, -x); tl.load(z_ptr + at) | -x
atomic_or | a = <bits>; tl.atomic_or(a, k); tl.load(a) | k
atomic_poll | a = z_ptr.to(tl.pointer_type(tl.int32), bitcast=True); tl.atomic_poll(a, 0); x | x
atomic_store | tl.atomic_store(z_ptr + at, x); tl.load(z_ptr + at) | x
atomic_xchg | tl.atomic_xchg(z_ptr + at, x); tl.load(z_ptr + at) | x
atomic_xor | a = <bits>; tl.atomic_xor(a, k); tl.load(a) | k
bitonic_merge | tl.bitonic_merge(x) | x
broadcast | a, b = tl.broadcast(x, x * 2); b | 2 * x
broadcast_to | tl.broadcast_to(n, (N,)) | 16 + 0 * x
cast | tl.cast(x, tl.int32) | x.trunc()
cat | tl.cat(tl.arange(0, 8), tl.arange(0, 8), can_reorder=True) | (k - 1) % 8
cdiv | tl.cdiv(k, 2) | (k + 1) // 2
ceil | tl.ceil(x) | x.ceil()
clamp | tl.clamp(x, 1.0, 3.0) | x.clamp(1, 3)
condition | i = 0; while tl.condition(i < n // 4): i += 1; i | 4 + 0 * x
constexpr | a: tl.constexpr = 2; x * a | 2 * x
cos | tl.cos(x) | x.cos()
cumprod | tl.cumprod(x, 0) | x.cumprod(0)
cumsum | tl.cumsum(x, 0) | x.cumsum(0)
debug_barrier | tl.debug_barrier(); x | x
device_assert | tl.device_assert(x > 0, "x"); x | x
device_print | tl.device_print("n", n); x | x
div_rn | tl.div_rn(x, 3.0) | x / 3
dot | a = tl.broadcast_to(x[None, :], (16, 16)); tl.sum(tl.dot(a, a, input_precision="ieee"), 0) / 16 | x * x.sum()
dot_scaled | a = <bytes>; s = <scales>; tl.sum(tl.sum(tl.dot_scaled(a, s, "e5m2", a, s, "e5m2"), 0), 0) | None
erf | tl.erf(x) | x.erf()
exp | tl.exp(x) | x.exp()
exp2 | tl.exp2(x) | x.exp2()
expand_dims | tl.reshape(tl.expand_dims(x, 0), (N,)) | x
expect_zero | tl.expect_zero(z_ptr, k * 0); x | None
fdiv | tl.fdiv(x, 3.0) | x / 3
flip | tl.flip(x) | x.flip(0)
floor | tl.floor(x) | x.floor()
fma | tl.fma(x, x, x) | x * x + x
full | tl.full((N,), 3, tl.float32) | 3 + 0 * x
gather | tl.gather(x, N - k, 0) | x.flip(0)
histogram | tl.histogram(at, N) | 1 + 0 * x
inline_asm_elementwise | tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], tl.float32, True, 1) | x
interleave | tl.interleave(tl.arange(0, 8), tl.arange(0, 8)) | (k - 1) // 2
join | tl.reshape(tl.join(tl.arange(0, 8), tl.arange(0, 8)), (N,)) | (k - 1) // 2
load | tl.load(x_ptr + at) | x
log | tl.log(x) | x.log()
log2 | tl.log2(x) | x.log2()
make_block_ptr | b = tl.make_block_ptr(x_ptr, (16,), (1,), (0,), (16,), (0,)); tl.load(b) | x
map_elementwise | tl.map_elementwise(doubled, x) | 2 * x
max | tl.max(x, 0) | y == x.max()
max_constancy | tl.max_constancy(at, 1) | k - 1
max_contiguous | tl.max_contiguous(at, 16) | k - 1
maximum | tl.maximum(x, 1.0) | x.clamp(min=1)
min | tl.min(x, 0) | y == 0.5
minimum | tl.minimum(x, 1.0) | x.clamp(max=1)
mul | tl.mul(x, x) | x * x
multiple_of | tl.multiple_of(at, 1) | k - 1
num_programs | tl.num_programs(0) | y == 1
pair_uniform_to_normal | u, v = tl.pair_uniform_to_normal(x / 32, x / 32); u | y.isfinite()
permute | tl.reshape(tl.permute(tl.reshape(x, (4, 4)), (1, 0)), (N,)) | x.view(4, 4).T.reshape(-1)
philox | a, b, c, d = tl.philox(1, at, at, at, at); a.to(tl.float32) | y.isfinite()
philox_impl | u = at.to(tl.uint32); a, b, c, d = tl.philox_impl(u, u, u, u, u, u); a.to(tl.float32) | y.isfinite()
program_id | tl.program_id(0) | y == 0
rand | tl.rand(1, at) | (y >= 0) & (y < 1)
rand4x | a, b, c, d = tl.rand4x(1, at); b | (y >= 0) & (y < 1)
randint | tl.randint(1, at).to(tl.float32) | y.isfinite()
randint4x | a, b, c, d = tl.randint4x(1, at); b.to(tl.float32) | y.isfinite()
randn | tl.randn(1, at) | y.abs() < 6
randn4x | a, b, c, d = tl.randn4x(1, at); b | y.abs() < 6
range | a = x * 0; for i in tl.range(0, 3): a += x; a | 3 * x
ravel | tl.ravel(tl.reshape(x, (4, 4))) | x
reduce | tl.reduce(x, 0, added) | x.sum() + 0 * x
reduce_or | tl.reduce_or(k, 0) | 31 + 0 * x
reshape | tl.reshape(tl.reshape(x, (4, 4)), (N,)) | x
rsqrt | tl.rsqrt(x) | x.rsqrt()
sigmoid | tl.sigmoid(x) | x.sigmoid()
sin | tl.sin(x) | x.sin()
softmax | tl.softmax(x) | x.softmax(0)
sort | tl.sort(-x) | (-x).flip(0)
split | a, b = tl.split(tl.reshape(x, (8, 2))); tl.reshape(tl.join(a, b), (N,)) | x
sqrt | tl.sqrt(x) | x.sqrt()
sqrt_rn | tl.sqrt_rn(x) | x.sqrt()
squeeze | tl.squeeze(x[None, :], 0) | x
static_assert | tl.static_assert(N == 16); x | x
static_print | tl.static_print("x"); x | x
static_range | a = x * 0; for i in tl.static_range(0, 3): a += x; a | 3 * x
store | tl.store(z_ptr + at, x); tl.load(z_ptr + at) | x
sub | tl.sub(x, 1.0) | x - 1
sum | tl.sum(x, 0) | x.sum() + 0 * x
swizzle2d | a, b = tl.swizzle2d(at // 4, at % 4, 4, 4, 1); a * 4 + b | k - 1
to_tensor | x * tl.to_tensor(2) | 2 * x
topk | tl.sum(tl.topk(x, 4), 0) | x.topk(4)[0].sum() + 0 * x
trans | tl.reshape(tl.trans(tl.reshape(x, (4, 4))), (N,)) | x.view(4, 4).T.reshape(-1)
tuple | t = tl.tuple((x, k)); t[0] | x
uint_to_uniform_float | tl.uint_to_uniform_float(at) | (y >= 0) & (y < 1)
umulhi | tl.umulhi(k, k) | 0 * x
unsqueeze | tl.reshape(tl.unsqueeze(x, 0), (N,)) | x
view | tl.view(tl.view(x, (4, 4)), (N,)) | x
where | tl.where(x > 2, x, 0.0) | torch.where(x > 2, x, 0)
xor_sum | tl.xor_sum(k, 0) | 16 + 0 * x
zeros | tl.zeros((N,), tl.float32) | 0 * x
zeros_like | tl.zeros_like(x) | 0 * x
pointer_type | tl.load(<bits>) | 0 * x
cuda.num_warps | x + cuda.num_warps() | x + 4
cuda.num_threads | x + cuda.num_threads() | x + 128
cuda.gdc_wait | cuda.gdc_wait(); x | x
cuda.gdc_launch_dependents | cuda.gdc_launch_dependents(); x | x
cuda.convert_custom_float8_sm70 | cuda.convert_custom_float8_sm70(x.to(tl.float8e4b15), tl.float16) | None
cuda.convert_custom_float8_sm80 | cuda.convert_custom_float8_sm80(x.to(tl.float8e4b15), tl.float16) | None
cuda.globaltimer | x + cuda.globaltimer() | None
cuda.smid | x + cuda.smid() | None
dtype | a: tl.constexpr = x.dtype; tl.zeros((N,), a) | 0 * x
tensor_descriptor | d = <z>; d.atomic_add([0, 0], tl.reshape(x, (4, 4))); tl.load(z_ptr + at) | x
"""


# Types and modules: for annotations, arguments of other functions, and the host.
TYPES = ("block_type const constexpr_type extra math pi32_t slice target_info tensor void").split()


class Outcome(NamedTuple):
    """What became of an example. compiled: the compiler's refusal, "" where it takes it. ran: as well of the run."""

    name: str
    compiled: str
    ran: str


def _own_examples() -> list[tuple[str, str, str]]:
    """(name, statements of a kernel, what comes out) for names of triton.language."""
    import triton.language as tl

    text = functools.reduce(lambda text, each: text.replace(*each), _LONG.items(), EXAMPLES)
    lines = [[part.strip() for part in line.split(" | ")] for line in text.strip().splitlines()]
    rows = [(name, statements, expected) for name, statements, expected in lines]
    rows += [
        (name, f"x.to(tl.{name}).to(tl.float32)", "None")
        for name, value in vars(tl).items()
        if isinstance(value, tl.dtype) and name in tl.__all__ and name not in TYPES
    ]
    return rows


def _libdevice_examples() -> list[tuple[str, str, str]]:
    """The same for libdevice: each function with the types that its text names first."""
    module = importlib.import_module(LIBDEVICE)
    rows = []
    for name, value in vars(module).items():
        if name.startswith("_") or not inspect.isfunction(inspect.unwrap(value)) or name not in _defined(module):
            continue
        types = _first_types(inspect.unwrap(value))
        arguments = ", ".join(f"x.to(tl.{_TYPES[each]})" for each in types)
        rows.append((f"libdevice.{name}", f"libdevice.{name}({arguments}).to(tl.float32)", "None"))
    return rows


_TYPES = {"fp32": "float32", "fp64": "float64"} | {each: each for each in ("int32", "int64", "uint32", "uint64")}


def _first_types(function) -> list[str]:
    """The types of the arguments with which a function of libdevice may be called, by its dictionary of symbols."""
    tree = ast.parse(inspect.getsource(function))
    symbols = next(node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    return [str(each.value) for each in ast.walk(symbols.keys[0] or symbols) if isinstance(each, ast.Constant)]


@functools.cache
def _defined(module) -> frozenset[str]:
    tree = ast.parse(inspect.getsource(module))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def outcomes(rows: list[tuple[str, str, str]]) -> list[Outcome]:
    """Lower and run each example as a check does."""
    from grader.judge import compiled, zygotes
    from grader.judge.time_limit import TimeLimit
    from grader.spec import Call

    kernels = []
    for number, (_, statements, _) in enumerate(rows):
        *before, last = statements.split("; ")
        kernels.append(_KERNEL.format(number=number, body="\n    ".join([*before, f"out = {last}"])))
    x = torch.arange(1, 17) / 2
    front_end, found = compiled.FrontEnd(TimeLimit(300), []), []
    source = _HEADER + "".join(kernels)
    with contextlib.closing(front_end), zygotes.get().open(source, 300, "", front_end.lower, apart=True) as session:
        if session.loading_error:
            raise SystemExit(f"the examples cannot be imported: {session.loading_error}")
        for number, (name, _, expected) in enumerate(rows):
            call = Call("launch", f"k_{number}", (torch.zeros(16), x, torch.zeros(16), 16), {"N": 16}, grid=(1,))
            evidence = session.run(call, None, front_end.lower)
            refused, front_end.refusals = front_end.refusals, []
            ran = evidence.error["message"] if evidence.error else _compared(evidence.args[0], x, expected)
            found.append(Outcome(name, refused[0]["message"] if refused else "", str(ran)))
    return found


def _compared(y: torch.Tensor, x: torch.Tensor, expected: str) -> str:
    """ "" where the numbers are those of the example, else what they are."""
    want = eval(expected, {"x": x, "y": y, "k": torch.arange(1, 17), "torch": torch})
    if want is None:
        return ""
    want = want if want.dtype == torch.bool else (y - want).abs() <= 1e-5 * want.abs() + 1e-6
    return "" if want.all() else f"other numbers: {y.tolist()}"


# kind -> what the outcome of an example says. A name of another kind needs a mend, or a place on the page.
_KINDS = {
    "runs": ("", ""),
    "a GPU alone": ("", "Triton's compiler takes .* for a GPU, and the interpreter here cannot run it"),
    "a symbol of a GPU": ("", "libdevice's .* runs on a GPU, and not in Triton's interpreter"),
    "some GPUs": (".* not supported in this architecture.*", ".*"),
    "removed": (".* have been removed in favor of .*", ".*"),
}


def kind(outcome: Outcome) -> str:
    """The kind of an outcome. Raises ValueError where the page has none for it."""
    for name, (compiled, ran) in _KINDS.items():
        if re.fullmatch(compiled, outcome.compiled, re.S) and re.fullmatch(ran, outcome.ran, re.S):
            return name
    raise ValueError(f"tools/language_names.py has no kind for {outcome}")


def lists(found: list[Outcome]) -> dict[str, str]:
    """The lists of the page, by their names: kinds of triton.language, kinds of libdevice, types, and the version."""
    import triton

    named: dict[str, list[str]] = {"types": list(TYPES)}
    for each in found:
        _, _, inner = each.name.partition("libdevice.")
        named.setdefault(f"libdevice, {kind(each)}" if inner else kind(each), []).append(inner or each.name)
    return {"version": f"Triton {triton.__version__}"} | {
        name: _wrapped(sorted(names)) for name, names in named.items()
    }


def _wrapped(names: list[str]) -> str:
    return textwrap.fill("  ".join(names), 110, break_long_words=False, break_on_hyphens=False)


def filled(page: str, of: dict[str, str]) -> str:
    """The text of a page with these lists in their places."""
    for name, text in of.items():
        place, listed = _PLACE.format(name=re.escape(name)), f"```\n{text}\n```\n"
        page = re.sub(place, listed.replace("\\", r"\\"), page, flags=re.S)
    return page


def kept(page: str) -> dict[str, str]:
    """The lists of a page as they are."""
    found = re.findall(r"<!-- (?!end)(.*?) -->\n```\n(.*?)\n```\n(?=<!-- end -->)", page, re.S)
    return dict(found)


def rows() -> list[tuple[str, str, str]]:
    """The examples of all names."""
    return _own_examples() + _libdevice_examples()


def main(arguments: list[str]) -> str | None:
    """Write the page, or compare it; a sentence where it is stale."""
    import triton

    text, here = PAGE.read_text(encoding="utf-8"), f"Triton {triton.__version__}"
    if "--check" in arguments and here != kept(text)["version"]:
        print(f"The page is that of {kept(text)['version']}: nothing to compare with {here}.")
        return None
    made = filled(text, lists(outcomes(rows())))
    if "--check" in arguments:
        return None if made == text else "docs/triton_names.md is stale: run tools/language_names.py"
    PAGE.write_text(made, encoding="utf-8")
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
