"""Triton's private names. All those that the course uses are in this module.

Any release of Triton may change the functions of triton.runtime.interpreter that are hooked. `Private` looks them all
up once, lists the missing ones, and replaces them in such a way that a feature is hooked completely or not at all. The
functions after it wrap private names of Triton's compiler and launcher.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import importlib
import inspect
import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..sentence import said

# Global names of kernels that are ours: what a function of Python means in them, a condition, a loop's counter, whether
# `and` and `or` end with their left side, both sides in one, and `not`.
OURS = "function", "condition", "counter", "decided", "joined", "negated"
FUNCTION, CONDITION, COUNTER, DECIDED, JOINED, NEGATED = (f"_five_passes_{name}" for name in OURS)

# our name -> its path from triton.runtime.interpreter
_PATHS = {
    # launching
    "launch": "GridExecutor.__call__",
    "call_function": "InterpretedFunction.__call__",
    "run_function": "InterpretedFunction.run",
    "launcher": "InterpretedFunction.__getitem__",
    "rewrite": "InterpretedFunction.rewrite",
    "Function": "InterpretedFunction",
    "to_tensor_of_language": "_implicit_cvt",
    "Error": "InterpreterError",
    # values, and the operations on them
    "Handle": "TensorHandle",
    "promise": "TensorHandle.set_attr",
    "numpy_dtype": "_get_np_dtype",
    "Builder": "InterpreterBuilder",
    "masked_load": "InterpreterBuilder.create_masked_load",
    "masked_store": "InterpreterBuilder.create_masked_store",
    "atomic_rmw": "InterpreterBuilder.create_atomic_rmw",
    "atomic_cas": "InterpreterBuilder.create_atomic_cas",
    "set_grid_dim": "InterpreterBuilder.set_grid_dim",
    "set_grid_idx": "InterpreterBuilder.set_grid_idx",
    "program_id": "InterpreterBuilder.create_get_program_id",
    "splat": "InterpreterBuilder.create_splat",
    "binary_op": "InterpreterBuilder.binary_op",
    "unary_op": "InterpreterBuilder.unary_op",
    "ternary_op": "InterpreterBuilder.ternary_op",
    "fma": "InterpreterBuilder.create_fma",
    "fabs": "InterpreterBuilder.create_fabs",
    "rsqrt": "InterpreterBuilder.create_rsqrt",
    "dot": "InterpreterBuilder.create_dot",
    "cast": "InterpreterBuilder.cast_impl",
    "fp_to_fp": "InterpreterBuilder.create_fp_to_fp",
    "get_fp32": "InterpreterBuilder.get_fp32",
    "get_bf16": "InterpreterBuilder.get_bf16",
    "reduce": "ReduceScanOpInterface.apply",
    "reduced_to_tensor": "ReduceScanOpInterface.to_tensor",
    "own_reduction": "ReduceOps.generic_reduce",
    "own_scan": "ScanOps.generic_scan",
    "min_max": "ReduceOps.min_max",
    "builder_options": "interpreter_builder.options",
    "ir": "_ir",
    # triton.language, and how a launch patches it
    "language": "tl",
    "core": "tl.core",
    "tensor": "tl.core.tensor",
    "make_tensor": "tl.core.tensor.__init__",
    "make_block_type": "tl.core.block_type.__init__",
    "semantic": "interpreter_semantic",
    "broadcast": "interpreter_semantic.broadcast_impl_value",
    "load": "TritonSemantic.load",
    "patch_language": "_patch_lang",
    "patch_attribute": "_patch_attr",
    "patch_builtin": "_patch_builtin",
    "patch_tensor": "_patch_lang_tensor",
    # the rewriting of a kernel's text, which sees the global names of the interpreter
    "transformer": "FunctionRewriter.ast_transformer",
    "first_line": "FunctionRewriter._get_jit_fn_file_line",
    **{name: f"_five_passes_{name}" for name in OURS},
}
_ALWAYS = ("Handle", "numpy_dtype", "Builder", "language", "core", "tensor")
# feature -> the names that it needs. A name that no feature needs may be missing.
NEEDED = {
    "guard": (
        *_ALWAYS, "launch", "call_function", "to_tensor_of_language", "Error", "load", "masked_load", "masked_store",
        "atomic_rmw", "atomic_cas", "set_grid_dim", "set_grid_idx", "own_reduction", "own_scan", "promise",
    ),
    "speed": (
        *_ALWAYS, "Function", "rewrite", "patch_language", "patch_attribute", "patch_builtin", "patch_tensor",
        "broadcast", "builder_options", "first_line", "make_block_type", "make_tensor", "splat",
        "to_tensor_of_language", "transformer",
    ),
    "bf16": (*_ALWAYS, "binary_op", "unary_op", "ternary_op", "reduce", "cast", "get_fp32"),
    "batch": (*_ALWAYS, "program_id", "splat", "reduced_to_tensor", "masked_load", "masked_store"),
}  # fmt: skip


class Private:
    """The private names of one version of Triton, as attributes with the names of _PATHS; a missing one is None."""

    def __init__(self, interpreter):
        """interpreter: the module triton.runtime.interpreter."""
        self._owners: dict[str, tuple[object, str]] = {}
        self._replaced: list[tuple[object, str, bool, object, str]] = []
        for name, path in _PATHS.items():
            owner, attribute = _owner(interpreter, path)
            if owner is not None:
                self._owners[name] = owner, attribute
            setattr(self, name, getattr(owner, attribute, None))

    def missing(self, feature: str) -> list[str]:
        """The paths of the names that a feature needs and that this version of Triton does not have."""
        return [_PATHS[name] for name in NEEDED[feature] if getattr(self, name) is None]

    def replace(self, name: str, value) -> None:
        """Replace the object of a name in Triton by a value. The attribute may be new, if its owner exists."""
        owner, attribute = self._owners[name]
        mine = vars(owner) if hasattr(owner, "__dict__") else {}
        self._replaced.append((owner, attribute, attribute in mine, mine.get(attribute), name))
        setattr(owner, attribute, value)
        setattr(self, name, value)

    def replace_method(self, name: str, value) -> None:
        """Replace a method of the builder that is not in _PATHS."""
        self._replaced.append((self.Builder, name, name in vars(self.Builder), vars(self.Builder).get(name), ""))
        setattr(self.Builder, name, value)

    @contextlib.contextmanager
    def whole(self) -> Iterator[None]:
        """Undo all replacements made inside the block if the block raises."""
        before = len(self._replaced)
        try:
            yield
        except BaseException:
            while len(self._replaced) > before:
                self._put_back(*self._replaced.pop())
            raise

    def _put_back(self, owner, attribute: str, own: bool, value, name: str) -> None:
        if own:
            setattr(owner, attribute, value)
        else:
            delattr(owner, attribute)
        if name:
            setattr(self, name, getattr(owner, attribute, None))

    @contextlib.contextmanager
    def replaced(self, name: str, value) -> Iterator[None]:
        """Replace the object of a name inside the block only."""
        self.replace(name, value)
        try:
            yield
        finally:
            self._put_back(*self._replaced.pop())


def _owner(module, path: str) -> tuple[object | None, str]:
    """(owner of the last part of a path, last part). The owner is None where it does not exist."""
    *above, attribute = path.split(".")
    owner = module
    for part in above:
        owner = getattr(owner, part, None)
    return owner, attribute


@functools.cache
def private() -> Private:
    """The private names of the installed Triton. Raises the exceptions of its import."""
    from triton.runtime import interpreter

    return Private(interpreter)


def library_functions() -> list:
    """The functions of triton.language that are themselves written in Triton, such as tl.softmax."""
    from triton.language import standard

    return [function for function in list(vars(standard).values()) if isinstance(function, private().Function)]


def changes_of(scope) -> list[tuple[object, str, object]] | None:
    """The patches of the stock interpreter for a launch: (object, attribute, value before).

    None before Triton 3.6: these versions never undo their patches.
    """
    return None if scope is None else scope._changes


def take_back(scope) -> None:
    """Undo the patches of the record that `changes_of` reads."""
    scope.restore()


_ONE = "=1"  # in place of the type of the integer 1 in a tuple, which Triton's launcher takes for a constant


def type_name(value) -> str:
    """Triton's name for the type of an argument, such as *fp32 or i32; "?" where it has none. JSON for a tuple."""
    from triton.runtime import jit

    try:
        if isinstance(value, tuple):
            names = [_ONE if type(each) is int and each == 1 else type_name(each) for each in value]
            return json.dumps([getattr(value, "_fields", None), names])
        return str(jit.mangle_type(value))
    except Exception:
        return "?"


def type_of_name(name: str):
    """The type of `type_name` as Triton's compiler takes it: a text, or a tuple of them, which may have fields."""
    if not name.startswith("["):
        return "constexpr" if name == _ONE else name
    fields, names = json.loads(name)
    types = tuple(type_of_name(each) for each in names)
    return collections.namedtuple("Types", fields)(*types) if fields else types


def ones_in(name: str) -> Iterator[tuple[int, ...]]:
    """The places of the integer 1 in a tuple of the type `name`, at any depth."""
    for number, each in enumerate(json.loads(name)[1] if name.startswith("[") else ()):
        yield from [(number,)] if each == _ONE else ((number, *place) for place in ones_in(each))


@functools.cache
def launch_options() -> frozenset[str]:
    """The names that a launch may use besides the kernel's parameters: the options of Triton's backends."""
    known = {"num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "debug", "stream", "grid", "warmup"}
    try:
        from triton.backends.amd.compiler import HIPOptions
        from triton.backends.nvidia.compiler import CUDAOptions

        return frozenset(known | {f.name for options in (CUDAOptions, HIPOptions) for f in dataclasses.fields(options)})
    except (ImportError, TypeError):
        return frozenset(known)


def is_interpreted() -> bool:
    """Whether @triton.jit makes interpreted kernels in this process."""
    return bool(library_functions())


def is_jit(function) -> bool:
    """Whether a function has the decorator @triton.jit, in a process that compiles kernels."""
    from triton.runtime import JITFunction

    return isinstance(function, JITFunction)


def tuners() -> tuple[type, type]:
    """The classes of what triton.autotune and triton.heuristics make of a kernel."""
    from triton.runtime.autotuner import Autotuner, Heuristics

    return Autotuner, Heuristics


def under_decorators(kernel, args, kwargs: dict, pick: Callable | None = None) -> tuple[object, dict]:
    """(the function with @triton.jit under triton.autotune and triton.heuristics, the arguments that these add).

    args, kwargs: those of the launch. No configuration can be timed without a GPU, so an autotuned kernel gets the
    first one that its own pruning keeps and that does not contradict kwargs. A heuristic counts more than kwargs, as in
    Triton. Raises TypeError for an object that is no kernel.

    pick: from an autotuned kernel, the names and values that are given, and the configurations that it may have, to
    (the one to take, whether its hook runs).
    """
    autotuner, heuristics = tuners()
    more: dict = {}
    computed: set[str] = set()
    while isinstance(kernel, (autotuner, heuristics)):
        given = {**dict(zip(kernel.arg_names, args)), **more, **kwargs, **{name: more[name] for name in computed}}
        if isinstance(kernel, heuristics):
            more |= heuristic_values(kernel, given)
            computed |= {*kernel.values}
        else:
            more |= _configuration(kernel, args, given, pick or (lambda tuner, given, fitting: (fitting[0], True)))
        kernel = kernel.fn
    if not is_kernel(kernel):
        raise TypeError(said("'{type}' object is not subscriptable", type=type(kernel).__name__))
    return kernel, {name: value for name, value in more.items() if name not in {*kwargs} - computed}


def heuristic_values(kernel, given: dict) -> dict:
    """What triton.heuristics adds to the arguments of a launch. In its order: one may read what those before it set."""
    found: dict = {}
    for name, value in kernel.values.items():
        found[name] = value(given | found)
    return found


def _chosen(kernel, more: dict) -> str:
    """The configuration among the arguments that decorators add, as text; "" where there was no choice."""
    names: set[str] = set()
    while isinstance(kernel, tuners()):
        if len(getattr(kernel, "configs", ())) > 1:
            names |= {"num_warps", *kernel.configs[0].kwargs}
        kernel = kernel.fn
    return ", ".join(f"{name}={value}" for name, value in more.items() if name in names)


def _configuration(tuner, args, given: dict, pick: Callable) -> dict:
    tuner.nargs = dict(zip(tuner.arg_names, args))
    kept = tuner.prune_configs(given)
    fitting = [c for c in kept if all(given.get(name, value) == value for name, value in c.all_kwargs().items())]
    chosen, hooked = pick(tuner, given, fitting or kept)
    if chosen.pre_hook is not None and hooked:
        chosen.pre_hook({**given, **chosen.all_kwargs()})
    return chosen.all_kwargs()


def send_decorated(
    tell: Callable[[str, str], None] | None = None,
    choose: Callable[[tuple, list], int] | None = None,
    rehearse: Callable[[str, list, list], int] | None = None,
) -> None:
    """Make a launch of an autotuned kernel, or one with heuristics, a launch of its function. For this process.

    tell: gets the name of an autotuned kernel that has a choice, and the configuration that it runs with. choose: the
    place of the best among launches (function, grid, args, kwargs), for a key that tells one choice from others; None:
    it is the first one. rehearse: the same, for the kernel's name, the settings of each configuration, and functions
    that run each as Triton does for its time, with its hooks.
    """
    autotuner, heuristics = tuners()

    def run(kernel, *args, grid=None, warmup=False, **kwargs):
        pick = functools.partial(_chosen_by, choose, kernel, grid, args, kwargs) if choose and not warmup else None
        if rehearse and not warmup:
            pick = functools.partial(_rehearsed, rehearse, kernel, grid, args, kwargs)
        function, more = under_decorators(kernel, args, kwargs, pick)
        if warmup:
            return None
        if tell and (settings := _chosen(kernel, more)):
            tell(function.__name__, settings)
        return function[grid](*args, **{**kwargs, **more})

    def without_a_grid(kernel, *args, **kwargs):
        while isinstance(kernel, (autotuner, heuristics)):
            kernel = kernel.fn
        return kernel(*args, **kwargs)  # which says what is missing

    autotuner.run = heuristics.run = run
    autotuner.__call__ = heuristics.__call__ = without_a_grid


def _chosen_by(choose: Callable, kernel, grid, args, kwargs: dict, tuner, given: dict, fitting: list) -> tuple:
    """As `pick` of under_decorators: every configuration becomes a launch, and `choose` says which is the best."""
    if len(fitting) == 1:
        return fitting[0], True
    launches = []
    for configuration in fitting:
        function, more = under_decorators(kernel, args, kwargs, lambda *_, c=configuration: (c, False))
        launches.append((function, grid, args, {**kwargs, **more}))
    dtypes = tuple(str(value.dtype) for value in given.values() if hasattr(value, "dtype"))
    key = (id(tuner), tuple(given.get(name) for name in tuner.keys), dtypes)
    return fitting[choose(key, launches)], True


def _rehearsed(rehearse: Callable, kernel, grid, args, kwargs: dict, tuner, given: dict, fitting: list) -> tuple:
    """As `pick` of under_decorators: `rehearse` says which configuration is taken, and may run each of them before."""
    if len(fitting) == 1:
        return fitting[0], True

    def run(configuration) -> None:
        function, more = under_decorators(kernel, args, kwargs, lambda *_: (configuration, False))
        values = {**given, **configuration.all_kwargs()}
        if configuration.pre_hook is not None:
            configuration.pre_hook(values)
        tuner.pre_hook(values)
        function[grid](*args, **{**kwargs, **more})
        tuner.post_hook(values, exception=None)
        tuner.pre_hook(values, reset_only=True)  # once all have run, in Triton

    runs = [functools.partial(run, configuration) for configuration in fitting]
    name = under_decorators(kernel, args, kwargs, lambda *_: (fitting[0], False))[0].__name__
    return fitting[rehearse(name, [each.kwargs for each in fitting], runs)], True


@contextlib.contextmanager
def visits_told(enters: Callable, leaves: Callable, calls: Callable) -> Iterator[None]:
    """Tell of each node of a function with @triton.jit that Triton's code generator visits inside the block.

    enters(generator, node): before the visit. leaves(generator, node, value): after it, with what the node is to the
    compiler. calls(name): before it calls such a function, whose generator has this function_name; it may be one that
    was visited before.
    """
    from triton.compiler import code_generator

    generator = code_generator.CodeGenerator
    stock, mangle = generator.visit, code_generator.mangle_fn

    @functools.wraps(stock)
    def visit(self, node):
        if node is None:
            return stock(self, node)
        enters(self, node)
        value = stock(self, node)
        leaves(self, node, value)
        return value

    @functools.wraps(mangle)
    def mangled(*args, **kwargs):
        name = mangle(*args, **kwargs)
        calls(name)
        return name

    generator.visit, code_generator.mangle_fn = visit, mangled
    try:
        yield
    finally:
        generator.visit, code_generator.mangle_fn = stock, mangle


def make_ir(kernel, signature: dict, constants: dict, options: dict, target: tuple) -> str:
    """The text of a kernel in Triton's intermediate language, for a GPU target (backend, architecture, warp size).

    signature: Triton type by argument name. constants: constexpr value by argument name, or by the indices of argument
    and part of a tuple. options: launch options by name. Raises the exceptions of Triton's front end.
    """
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.compiler.compiler import make_backend

    source = ASTSource(kernel, signature=signature, constexprs=constants)
    backend = make_backend(GPUTarget(*target))
    parsed = backend.parse_options(options)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    known = {
        "target": GPUTarget(*target), "options": parsed, "context": context, "module_map": backend.get_module_map(),
        "codegen_fns": backend.get_codegen_implementation(parsed),
    }  # fmt: skip
    return str(source.make_ir(**{name: known[name] for name in inspect.signature(source.make_ir).parameters}))


@functools.cache
def _before_ptxas(change: Callable[[str], str]) -> None:
    """Change every PTX before it is assembled. For this process."""
    from triton.backends.nvidia.compiler import CUDABackend

    make_cubin = CUDABackend.make_cubin
    CUDABackend.make_cubin = lambda backend, ptx, *args: make_cubin(backend, change(ptx), *args)


class _AbsentDriver:
    """A driver for a GPU that is not there: all that a launch asks of one before it compiles."""

    def __init__(self, target):
        self._target = target

    def get_current_target(self):
        return self._target

    def get_current_device(self):
        return self._target  # Triton keeps what it compiled for each device apart

    def get_current_stream(self, device) -> int:
        return 0


def compile_for(kernel, args, kwargs: dict, target: tuple, change: Callable[[str], str]):
    """Compile a kernel as its launch would, for a GPU target (backend, architecture, warp size); launch nothing.

    For a process of its own, without a cache that others use: it replaces Triton's driver and the key of its cache.
    args, kwargs: those of the launch; of a tensor, it looks at dtype, data_ptr() and ptr_range() only. change: of the
    PTX before it is assembled. Returns Triton's compiled kernel. Raises the exceptions of Triton's compiler.
    """
    from triton.backends.compiler import GPUTarget
    from triton.compiler import compiler
    from triton.runtime import cache, driver

    for module in (compiler, cache):  # Triton hashes all of its own files for the key, which takes a second
        if hasattr(module, "triton_key"):
            module.triton_key = str
    driver.set_active(_AbsentDriver(GPUTarget(*target)))
    _before_ptxas(change)
    return kernel.warmup(*args, **kwargs, grid=(1,))


# Names that the interpreter's rewriting of a kernel's text relies on, and parameters that Triton fills in by itself.
REWRITER_NAMES = frozenset(
    {"interpreter_semantic", "_InterpreterComparison", *(f"_five_passes_{name}" for name in OURS)}
)
FILLED_IN = frozenset({"_semantic", "_builder", "_generator", "member"})
_LANGUAGE = ("triton.language",) + tuple(
    f"triton.language.{part}"
    for part in "math random standard extra extra.libdevice extra.cuda extra.cuda.libdevice".split()
)


class Place(NamedTuple):
    """A module or an enumeration of Triton's language. names: of it, those of objects that a kernel may use."""

    object: object
    names: frozenset[str]


@functools.cache
def kernel_language() -> dict[str, Place]:
    """The modules of Triton's language by their names, such as triton.language.math.

    Before Triton 3.6 a launch replaces functions of the language for good, so the first call must precede launches.
    """
    found = {}
    for name in _LANGUAGE:
        with contextlib.suppress(ImportError):
            module = importlib.import_module(name)
            public = {n: value for n, value in vars(module).items() if not n.startswith("_")}
            found[module.__name__] = Place(module, frozenset(n for n, value in public.items() if _of_kernels(value)))
    triton, language = importlib.import_module("triton"), found["triton.language"].object
    found["triton"] = Place(triton, frozenset({"cdiv", "next_power_of_2"} & vars(triton).keys()))
    found["triton.language.PropagateNan"] = Place(language.PropagateNan, frozenset({"ALL", "NONE"}))
    return found


def _of_kernels(value) -> bool:
    """Whether a public object of the language is made for kernels: a function, a dtype, a number, a class of values."""
    from triton.language import core

    if isinstance(value, type):
        newer = [getattr(core, name, core.range) for name in ("tuple", "condition")]
        return value in (core.constexpr, core.pointer_type, core.range, core.static_range, *newer)
    stub = getattr(value, "__module__", None) == "triton.language.extra.libdevice" and callable(value)
    values = (core.dtype, core.constexpr)
    return stub or type(value) is int or isinstance(value, values) or core.is_builtin(value) or is_kernel(value)


def is_kernel(value) -> bool:
    """Whether a function has the decorator @triton.jit, in a process that interprets kernels or compiles them."""
    return isinstance(value, private().Function or ()) or is_jit(value)


def remade(kernel, tree):
    """The Python function that the interpreter makes of another tree in the place of a kernel's own.

    tree: ast.Module with the function alone. None where this version of Triton has no such place.
    """
    rewriter = getattr(kernel, "rewriter", None)
    stock = getattr(rewriter, "ast_transformer", None)
    if stock is None:
        return None
    before = set(kernel.fn.__globals__)
    # The lines that tracebacks show may be others than those that Triton reads, so it reads none of them again.
    rewriter.ast_transformer, rewriter._prepare_source = _Instead(tree, stock), lambda lines: ""
    try:
        return rewriter.rewrite_ast()
    finally:
        del rewriter.ast_transformer, rewriter._prepare_source
        for name in kernel.fn.__globals__.keys() - before:
            del kernel.fn.__globals__[name]


class _Instead(NamedTuple):
    """A transformer of the interpreter that takes a tree of ours for the one that it gets."""

    tree: object
    stock: object

    def visit(self, _):
        return self.stock.visit(self.tree)


@contextlib.contextmanager
def in_place_of(functions: dict) -> Iterator[None]:
    """Let the interpreter run other Python functions for those of kernels. functions: {kernel: function}."""
    before = {kernel: kernel.fn for kernel in functions}
    try:
        for kernel, function in functions.items():
            kernel.fn = function  # Triton calls it without a rewriting where it reduces with a function of one's own
            kernel.rewritten_fn[function] = function
        yield
    finally:
        for kernel, own in before.items():
            del kernel.rewritten_fn[kernel.fn]
            kernel.fn = own


def rewrite(kernel) -> set[str]:
    """Let the interpreter read and rewrite the text of a kernel now. Returns the global names that this added.

    The interpreter puts all of its own global names beside those of the kernel; only those in REWRITER_NAMES are used.
    """
    if not isinstance(kernel, private().Function or ()):
        return set()
    before = kernel.fn.__globals__.keys() | REWRITER_NAMES
    kernel.rewrite()
    return kernel.fn.__globals__.keys() - before
