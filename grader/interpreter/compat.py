"""Repairs of the stock interpreter: scalars, constants, and what functions of Python mean in a kernel."""

from __future__ import annotations

import ast
import functools
import types

import numpy as np

from ..sentence import fault, said
from .batching.array import BatchArray, counters
from .state import KernelMisuse, current
from .triton_private import CONDITION, COUNTER, DECIDED, FUNCTION, JOINED, NEGATED, Private


def hook_scalars(private: Private) -> None:
    """Repair uses of a kernel's scalar, which the interpreter holds as an array of one element, and of its blocks.

    range() needs an int, and NumPy no longer converts such an array to one. No other number of Python is made of a
    block: the stock interpreter cuts 2.7 to 2 for math.sqrt. And the comparison of two scalars has boolean data under
    the dtype label of the scalars: when it is combined with a mask, it must stay boolean.
    """
    patch, splat = private.patch_tensor, private.splat

    @functools.wraps(patch)
    def patch_tensor(tensor, *args, **kwargs):
        patch(tensor, *args, **kwargs)
        tensor.__index__ = _index

    @functools.wraps(splat)
    def splat_truth(self, *args, **kwargs):
        value = splat(self, *args, **kwargs)
        if any(np.asarray(arg.data).dtype == np.bool_ for arg in (*args, *kwargs.values()) if hasattr(arg, "data")):
            value.data = value.data.astype(bool)
        return value

    private.replace("patch_tensor", patch_tensor)
    private.replace("splat", splat_truth)


def hook_floats(private: Private) -> None:
    """Give a kernel a float as a number of its own, with attributes such as `to`: the interpreter hands on Python's."""
    convert, float32 = private.to_tensor_of_language, private.language.float32

    @functools.wraps(convert)
    def converted(argument, *args, **kwargs):
        if type(argument) is float:
            number = np.array([argument], np.float32)
            if current.magnified and np.isfinite(number).all():
                number = (number + current.magnified * (number.astype(np.float64) - argument)).astype(np.float32)
            return private.tensor(private.Handle(number, float32), float32)
        return convert(argument, *args, **kwargs)

    private.replace("to_tensor_of_language", converted)


_PASSING_OVER_NAN = {np.argmax: np.nanargmax, np.argmin: np.nanargmin}  # what older versions of Triton take, and newer


def hook_places(private: Private) -> None:
    """Give the place of the largest number beside NaNs, and some place of NaNs alone, where NumPy has an error."""
    min_max = private.min_max
    if min_max is None:
        return

    @functools.wraps(min_max)
    def places(self, value, val_reduce_op, idx_reduce_op=None):
        place = _PASSING_OVER_NAN.get(idx_reduce_op, idx_reduce_op)
        return min_max(self, value, val_reduce_op, place and functools.partial(_of_nan_too, place))

    private.replace("min_max", places)


def _of_nan_too(place, values, axis, keepdims):
    try:
        return place(values, axis=axis, keepdims=keepdims)
    except ValueError:
        nothing = np.min(np.isnan(values), axis=axis, keepdims=True)
        return place(np.where(nothing, np.zeros((), values.dtype), values), axis=axis, keepdims=keepdims)


def _index(block) -> int:
    if block.handle.data.size != 1 or block.dtype.is_floating():
        raise KernelMisuse(
            fault(
                "block-for-a-number",
                "no value of a kernel becomes a number of Python: float(), int() and the functions of math take "
                "constants, and tl.sqrt, tl.floor and .to(...) take blocks",
            )
        )
    return int(block.handle.data.item())


def hook_meanings(private: Private) -> None:
    """Take calls by name, Python's max, min, loops and conditions as Triton's compiler does.

    A function of triton.language that has a name of its own, as after `from triton.language import exp`, is the one
    that a launch puts in its place. max and min of blocks, or of a block and numbers, go lane by lane, and so do `and`,
    `or` and `not`; the interpreter keeps one side. A block of several values has no truth value; to the interpreter it
    is true. The counter of a loop has the type to which its bounds are promoted, and attributes such as `to`; to the
    interpreter it is a number of Python, which never overflows.
    """
    stock, tensor, language = private.transformer, private.tensor, private.language
    told = getattr(private.core, "condition", ())  # what the compiler is told with the condition of a loop
    lane_by_lane = {max: "maximum", min: "minimum"}
    # The value is kept, so that no other object gets its id.
    places = {
        id(value): (value, module, name)
        for module in (language, private.core, language.math)
        for name, value in vars(module).items()
        if private.core.is_builtin(value)
    }

    def function(own):
        if id(own) in places:
            _, module, name = places[id(own)]
            return getattr(module, name)
        name = lane_by_lane.get(own) if isinstance(own, types.BuiltinFunctionType) else None

        def blockwise(*values, **options):
            if len(values) < 2 or options or not any(isinstance(value, tensor) for value in values):
                return own(*values, **options)
            return functools.reduce(getattr(language, name), values)

        return own if name is None else blockwise

    def condition(value):
        if told and isinstance(value, told):
            value = value.condition
        if isinstance(value, tensor) and value.handle.data.size != 1:
            raise KernelMisuse(
                fault(
                    "truth-of-a-block",
                    "`if` and `while` ask for one truth value, and this is a block of {count}",
                    count=value.handle.data.size,
                )
            )
        return value

    def is_block(value) -> bool:
        return isinstance(value, tensor) and value.type is not value.dtype

    def decided(value, ends: bool) -> bool:
        return not is_block(value) and bool(condition(value)) is ends

    def joined(left, right, method: str):
        return getattr(left, method)(right) if is_block(left) else right

    def negated(value):
        return value.__not__() if is_block(value) else not condition(value)

    private.replace("function", function)
    private.replace("counter", _counter_of(private))
    private.replace("condition", condition)
    private.replace("decided", decided)
    private.replace("joined", joined)
    private.replace("negated", negated)
    private.replace("transformer", _Meanings(stock))


def _counter_of(private: Private):
    """The function that yields the counters of a loop: scalars of the kernel, which differ in a pass of programs."""
    tensor, language = private.tensor, private.language

    def scalar(numbers, dtype):
        return tensor(private.Handle(numbers.astype(private.numpy_dtype(dtype)), dtype), dtype)

    def counter(make, *bounds, **options):
        dtype = _type_of_counter(private, bounds, options.get("step"))
        as_compared = functools.partial(_signed, private, np.dtype(private.numpy_dtype(dtype)))
        bounds = [as_compared(each) for each in bounds]
        if options.get("step") is not None:
            options["step"] = as_compared(options["step"])
        step = options.get("step", bounds[2] if len(bounds) > 2 else 1)
        if isinstance(step, np.ndarray | BatchArray):
            _check_step(step)
        if any(isinstance(each, BatchArray) for each in bounds):
            yield from (scalar(numbers, dtype) for numbers in counters(*bounds))
            return
        plain = [int(each.item()) if isinstance(each, np.ndarray) else each for each in bounds]
        if isinstance(step, np.ndarray) and "step" in options:
            options["step"] = int(step.item())
        for number in make(*plain, **options):
            if type(number) is not int:
                yield number
            elif dtype is language.int32:
                yield private.semantic.to_tensor(number)
            else:
                yield scalar(np.array([number]), dtype)

    return counter


def _type_of_counter(private: Private, bounds, step):
    """The type of a loop's counter: that to which Triton's compiler promotes its bounds. Constants have 32 bits."""
    tensor, int32 = private.tensor, private.language.int32
    given = [each for each in (*bounds, step) if isinstance(each, tensor)]
    if not all(each.dtype.is_int() for each in given):
        return int32
    promote = getattr(private.semantic, "integer_promote_impl", lambda one, other: int32)
    kinds = [each.dtype for each in given]
    if len(given) < 3:
        kinds.append(int32)
    return functools.reduce(promote, kinds)


def _signed(private: Private, dtype: np.dtype, bound):
    """A bound as the loop compares it: in the type of the counter, with a sign. An array, or a number of Python."""
    if not isinstance(bound, private.tensor):
        return bound
    if isinstance(bound.handle.data, np.ndarray):
        _index(bound)  # raises
    data = bound.handle.data.astype(dtype)
    return data.view(f"i{dtype.itemsize}") if dtype.kind == "u" else data


def _check_step(step) -> None:
    """Raise KernelMisuse where a loop that the compiler made to count up would count down, or not at all."""
    numbers = getattr(step, "values", step)
    if (numbers < 1).any():
        raise KernelMisuse(
            fault(
                "step-of-a-loop",
                "the step of a loop is {step}: only a step that is a constant may count down",
                step=int(numbers[numbers < 1].flat[0]),
            )
        )


class _Meanings:
    """The transformer of a kernel's tree, which asks first what it means. stock: Triton's own."""

    def __init__(self, stock):
        self._stock = stock

    def visit(self, tree: ast.AST) -> ast.AST:
        """The tree that the interpreter runs."""
        for node in ast.walk(tree):
            if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
                node.test = _asked(CONDITION, node.test)
            elif isinstance(node, ast.For) and _counts(node.iter):
                node.iter = counted(node.iter)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.func.id.startswith("__"):
                node.func = _asked(FUNCTION, node.func)
        return self._stock.visit(_LaneByLane().visit(tree))


class _LaneByLane(ast.NodeTransformer):
    """`and`, `or` and `not`, of blocks too. Numbers and constants are asked from left to right, as in Python.

    The left side is kept in a local name, since a lambda would turn the locals of a kernel into cells.
    """

    def __init__(self):
        self._kept = 0

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """a and b: a if decided(a, False) else joined(a, b, "logical_and")."""
        self.generic_visit(node)
        ends, method = (False, "logical_and") if isinstance(node.op, ast.And) else (True, "logical_or")
        left = node.values[0]
        for right in node.values[1:]:
            self._kept += 1
            name = f"_five_passes_left_{self._kept}"
            kept = ast.NamedExpr(ast.Name(name, ast.Store()), left)
            both = _called(JOINED, ast.Name(name, ast.Load()), right, ast.Constant(method))
            left = ast.IfExp(_called(DECIDED, kept, ast.Constant(ends)), ast.Name(name, ast.Load()), both)
        return ast.fix_missing_locations(ast.copy_location(left, node))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """not a: negated(a)."""
        self.generic_visit(node)
        return ast.copy_location(_called(NEGATED, node.operand), node) if isinstance(node.op, ast.Not) else node


def _counts(iterable: ast.expr) -> bool:
    """Whether a loop runs over a `range`, which no compiler unrolls, under any import name."""
    function = iterable.func if isinstance(iterable, ast.Call) else None
    return getattr(function, "id", getattr(function, "attr", None)) == "range"


def counted(call: ast.Call) -> ast.Call:
    """The counter of a loop that the compiler does not unroll. call: of its `range`, or of that of triton.language."""
    return ast.copy_location(ast.Call(ast.Name(COUNTER, ast.Load()), [call.func, *call.args], call.keywords), call)


def _asked(name: str, node: ast.expr) -> ast.Call:
    return ast.copy_location(_called(name, node), node)


def _called(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])


_NOT_INTERPRETED = {"create_inline_asm": "tl.inline_asm_elementwise", "new_block": "tl.map_elementwise"}


def hook_refusals(private: Private) -> None:
    """Say of what a GPU alone can run that it is not wrong. The keys are what the interpreter lacks for it."""
    for method, name in _NOT_INTERPRETED.items():
        private.replace_method(method, functools.partialmethod(_refuse, name))


def _refuse(builder, name: str, *args, **kwargs):
    raise NotImplementedError(
        said("Triton's compiler takes {name} for a GPU, and the interpreter here cannot run it", name=name)
    )


_WITH_A_BLOCK = "add sub mul truediv floordiv mod and or xor lshift rshift lt le gt ge eq ne".split()


def hook_constants(private: Private) -> None:
    """Leave an operation between a global tl.constexpr and a block, in this order, to the block, as the compiler does.

    The constant's own operator would wrap the resulting block in a constant.
    """
    constexpr = private.core.constexpr
    for name in (f"__{each}__" for each in _WITH_A_BLOCK):
        setattr(constexpr, name, _not_with_blocks(getattr(constexpr, name), private.tensor))


def _not_with_blocks(operator, block: type):
    @functools.wraps(operator)
    def operate(self, other):
        return NotImplemented if isinstance(other, block) else operator(self, other)

    return operate
