"""The text of a kernel, read as Triton's language and nothing else, and the kernel made of it.

Triton's interpreter runs the text as Python, in the process of the ledger, and the text comes from a stranger. So every
node of it must be in a list of allowed ones, every name must mean something that is allowed, and every attribute must
be in a list: nothing is forbidden by name where a list of the allowed is possible. What Triton's compiler refuses and
the interpreter may run without harm is allowed, so that it fails as it always does: `and` between masks, a function
without @triton.jit, a name that is not defined.
"""

from __future__ import annotations

import ast
import builtins
import collections
import copy
import hashlib
import inspect
import linecache
import re
import types
from collections.abc import Iterator
from keyword import iskeyword
from typing import Any, NamedTuple, NoReturn

import triton
import triton.language

from ..interpreter.triton_private import FILLED_IN, REWRITER_NAMES, is_interpreted, kernel_language, rewrite
from ..protocol.kernels import Global, KernelFunction, KernelProgram
from ..sentence import fault, kind_of, said

_MOST_FUNCTIONS, _LONGEST = 500, 200_000  # functions of a program; characters of a function
_BUILTINS = (
    "abs all any bool divmod enumerate float int isinstance len list max min pow print range reversed round sorted sum "
    "tuple zip"
).split()


_SAFE_BUILTINS = {name: getattr(builtins, name) for name in _BUILTINS}
# Attributes of blocks, pointers, descriptors, dtypes and constants. None of them leads to an object of another kind, on
# whatever value; of Python's own types, only text and lists have any of them (`split`, `sort`).
_KINDS = (
    "bf16 block bool const floating fp16 fp32 fp64 fp8 fp8e4b15 fp8e4b8 fp8e4nv fp8e5 fp8e5b16 int int1 int16 int32 "
    "int64 int8 int_signed int_unsigned ptr standard_floating uint16 uint32 uint64 uint8 void"
).split()
_ATTRIBUTES = frozenset(
    "T shape dtype type name numel value scalar element_ty primitive_bitwidth int_bitwidth fp_mantissa_width "
    "exponent_bias block_shape strides block_type nbytes itemsize address_space get_block_shapes get_int_max_value "
    "get_int_min_value abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_load "
    "atomic_max atomic_min atomic_or atomic_poll atomic_store atomic_xchg atomic_xor broadcast_to cast cdiv ceil "
    "cos cumprod cumsum erf exp exp2 expand_dims flip floor gather histogram item load log log2 logical_and "
    "logical_or max min permute ravel reduce reduce_or reshape rsqrt scatter sigmoid sin softmax sort split sqrt "
    "sqrt_rn store sum to trans view xor_sum".split()
) | {f"is_{kind}" for kind in _KINDS}
_NODES = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.If, ast.For, ast.While, ast.Break,
    ast.Continue, ast.Pass, ast.Assert, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Subscript,
    ast.Slice, ast.Starred, ast.List, ast.Tuple, ast.JoinedStr, ast.NamedExpr,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.Load, ast.Store,
)  # fmt: skip
_WORDS = {
    ast.FunctionDef: said("a function inside a kernel"), ast.AsyncFunctionDef: "`async`", ast.ClassDef: "`class`",
    ast.Import: "`import`", ast.ImportFrom: "`import`", ast.Try: "`try`", ast.With: "`with`", ast.Delete: "`del`",
    ast.Global: "`global`", ast.Nonlocal: "`nonlocal`", ast.Raise: "`raise`", ast.Lambda: "`lambda`",
    ast.Yield: "`yield`", ast.YieldFrom: "`yield`", ast.Await: "`await`", ast.Match: "`match`",
    ast.GeneratorExp: said("a generator"), ast.SetComp: said("a set"), ast.DictComp: said("a dictionary"),
    ast.Set: said("a set"),
    ast.Dict: said("a dictionary"), ast.AsyncFor: "`async`", ast.AsyncWith: "`async`",
}  # fmt: skip
_PLAIN = (bool, int, float, str, type(None))
# Characters that are no text, or that end a line for some readers only.
_STRAY = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# Names in the namespace of a kernel that no text can name: it may use no name with two underscores in front.
_LANGUAGE, _DEFAULT = "__language", "__default_"
# Behind the name of a field of a named tuple: no object but these tuples has an attribute of such a name.
_FIELD = "__field"


class RefusedKernel(TypeError):
    """The text of a kernel is not in Triton's language."""


class Admitted(NamedTuple):
    """One function of a program. kernel: Triton's object for a function with @triton.jit, else a Python function.

    jit: whether it has that decorator. file: its name in tracebacks. text: of it, as Triton reads it.
    """

    kernel: Any
    jit: bool
    file: str
    text: str


def admit(program: KernelProgram):
    """The kernel of a program, as in `admitted`."""
    return admitted(program)[0].kernel


def admitted(program: KernelProgram) -> list[Admitted]:
    """The functions of a program, the kernel first.

    program: from an untrusted sender. The texts stay registered in linecache, so that tracebacks show their lines under
    file names `<kernel NAME HASH>`, and Triton keeps what it made of them: make a kernel once, not at each launch.
    Raises RefusedKernel, with one sentence, and the ValueError of Triton's interpreter for `a = b = c`.
    """
    if not 0 < len(program.functions) <= _MOST_FUNCTIONS:
        raise RefusedKernel(
            said(
                "a kernel with the functions that it calls is 1 to {MOST_FUNCTIONS} functions",
                MOST_FUNCTIONS=_MOST_FUNCTIONS,
            )
        )
    fields = frozenset(program.fields) - _ATTRIBUTES
    readers = [_Reader(n, function, len(program.functions), fields) for n, function in enumerate(program.functions)]
    try:
        made = [reader.make() for reader in readers]
        for reader in readers:
            reader.link(made)
        for kernel, reader in zip(made, readers):
            for name in rewrite(kernel):
                del reader.namespace[name]
            reader.show()
    except (RecursionError, MemoryError):
        raise RefusedKernel(said("the text of the kernel is nested too deeply")) from None
    return [Admitted(kernel, reader.jit, reader.file, reader.text) for kernel, reader in zip(made, readers)]


class _Reader:
    """The check of one function, and its global namespace."""

    def __init__(self, number: int, function: KernelFunction, count: int, fields: frozenset[str]):
        """number: of the function. count: of all functions. fields: of named tuples, those that need another name."""
        self._number, self._function, self._count, self._fields = number, function, count, fields
        self._lines = function.source.split("\n")
        self._shown = self._lines
        self.jit, self.file, self.text = function.jit, "", ""
        self._used: dict[str, Global] = {}  # of the names of the function, those that the text uses
        self._holders: dict[str, object] = {}
        self.namespace: dict = {"__builtins__": _SAFE_BUILTINS.copy(), "__name__": "kernel", _LANGUAGE: triton.language}

    def make(self):
        """The checked function, as in `admit`. Functions that it uses are not in its namespace yet."""
        tree = self._parsed()
        bound = {argument.arg for argument in _arguments(tree)}
        bound |= {name for statement in tree.body for name in _bound(statement)}
        if self._fields:
            tree = self._with_fields(tree, bound)
        for statement in tree.body:
            self._check(statement, bound)
        text = self._text(tree)
        for name, meaning in self._used.items():
            if meaning.kind != "function":
                self._bind(name, _object(meaning))
        # Two functions may have the same text, and names of other meanings.
        digest = hashlib.sha256(f"{self._number} {text}".encode()).hexdigest()[:16]
        self.file = file = f"<kernel {tree.name} {digest}>"
        self.text = text.lstrip("\n")
        try:
            code = compile(text, file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise RefusedKernel(said("the text of {name} is no Python: {error}", name=tree.name, error=error)) from None
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        local: dict = {}
        exec(code, self.namespace, local)
        function = local[tree.name]
        if inspect.getsource(function) != text.lstrip("\n"):
            raise RefusedKernel(said("the text of {name} cannot be read line by line", name=tree.name))
        if self._function.constexpr:
            return triton.constexpr_function(function)
        return triton.jit(function) if self._function.jit else function

    def link(self, made: list) -> None:
        """Put the functions that this one uses into its namespace. made: all functions of the program."""
        for name, meaning in self._used.items():
            if meaning.kind == "function":
                self._bind(name, _wrapped(made[meaning.index], meaning))

    def show(self) -> None:
        """Let tracebacks show the lines as they were written, once Triton has read the text."""
        if self._shown is not self._lines:
            length, changed, _, file = linecache.cache[self.file]
            linecache.cache[self.file] = (length, changed, [f"{line}\n" for line in self._shown], file)

    # The text as a tree

    def _parsed(self) -> ast.FunctionDef:
        name, source = self._function.name, self._function.source
        if len(source) > _LONGEST or _STRAY.search(source):
            raise RefusedKernel(
                said(
                    "the text of {name} has over {LONGEST} characters, or characters of no text",
                    name=name[:50],
                    LONGEST=_LONGEST,
                )
            )
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError) as error:
            raise RefusedKernel(said("the text of {name} is no Python: {error}", name=name[:50], error=error)) from None
        if len(body) != 1 or type(body[0]) is not ast.FunctionDef or body[0].name != name:
            raise RefusedKernel(said("the text of {name} is not one `def` of this name", name=name[:50]))
        (tree,) = body
        self._check_name(tree, name)
        for argument in _arguments(tree):
            self._check_name(argument, argument.arg)
            if argument.arg in FILLED_IN:
                self._refuse(argument, said("Triton fills this parameter in by itself"), argument.arg)
        if tree.args.kwarg or getattr(tree, "type_params", None):
            self._refuse(tree, said("Triton's language has neither `**` nor types as parameters"), f"def {name}")
        return tree

    def _with_fields(self, tree: ast.FunctionDef, bound: set[str]) -> ast.FunctionDef:
        """The tree of the text in which fields of named tuples have names of their own.

        A field may have the name of any attribute, also of one that leads out of Triton's language.
        """
        places = []  # (line, byte, name) of the beginning of each field
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in self._fields:
                root, _ = _chain(node)
                if not isinstance(root, ast.Name) or root.id in bound or root.id not in self._function.names:
                    places.append((node.end_lineno, node.end_col_offset - len(node.attr.encode()), node.attr))
            elif isinstance(node, ast.Call) and self._is_named(node.func, bound):
                words = (word for word in node.keywords if word.arg in self._fields)
                places += [(word.lineno, word.col_offset, word.arg) for word in words]
        lines = list(self._lines)
        for row, start, name in sorted(places, reverse=True):
            line, end = lines[row - 1].encode(), start + len(name.encode())
            if line[start:end] != name.encode():
                self._refuse(tree, said("a field of a named tuple is written in another way here"), f"`{name}`")
            lines[row - 1] = (line[:end] + _FIELD.encode() + line[end:]).decode()
        if places:
            self._shown, self._lines = self._lines, lines
            (tree,) = ast.parse("\n".join(lines)).body
        return tree

    def _is_named(self, function: ast.expr, bound: set[str]) -> bool:
        """Whether an expression is the class of a named tuple."""
        root, attributes = _chain(function)
        if not isinstance(root, ast.Name) or root.id in bound or root.id not in self._function.names:
            return False
        _, meaning, rest = self._meaning(root.id, attributes)
        return meaning is not None and meaning.kind == "named" and not rest

    def _text(self, tree: ast.FunctionDef) -> str:
        """The text that Triton gets: that of the function, with a new first line where the old one runs code.

        Triton cuts texts at lines that begin with `def` and parses them again, so there is one such line. Each line of
        the body keeps its number.
        """
        arguments = self._checked_arguments(tree.args)
        whole = _changed(tree, args=arguments, returns=None, decorator_list=[])
        expected = ast.dump(whole)
        lines = self._lines[: tree.end_lineno]
        if expected != ast.dump(tree) or not re.match(r"def \w+\(", lines[0]):
            start = tree.body[0]
            line = lines[start.lineno - 1].encode()
            before, rest = line[: start.col_offset].decode(), line[start.col_offset :].decode()
            first = ast.unparse(_changed(whole, body=[ast.Pass()])).partition("\n")[0]
            above = "\n" * (start.lineno - 1)
            opening = f"{above}{first} {rest}" if before.strip() else f"{first}{above}{before}{rest}"
            lines = [opening, *lines[start.lineno :]]
        text = "\n".join(lines) + "\n"
        if len(_defs(text)) > 1:
            text, whole = _without_docstring(text, whole)
            expected = ast.dump(whole)
        if len(_defs(text)) != 1 or [expected] != [ast.dump(part) for part in ast.parse(text).body]:
            self._refuse(
                tree, said("Triton cannot cut out a text in which another line begins with `def`"), f"def {tree.name}"
            )
        return text

    def _checked_arguments(self, arguments: ast.arguments) -> ast.arguments:
        """The parameters without annotations but constexpr, and with default values that are numbers or names."""

        def plain(argument: ast.arg) -> ast.arg:
            return _changed(argument, annotation=self._annotation(argument.annotation))

        positional = arguments.posonlyargs + arguments.args
        with_default = positional[len(positional) - len(arguments.defaults) :]
        keyword_defaults = zip(arguments.kwonlyargs, arguments.kw_defaults)
        return _changed(
            arguments,
            posonlyargs=[plain(argument) for argument in arguments.posonlyargs],
            args=[plain(argument) for argument in arguments.args],
            vararg=arguments.vararg and _changed(arguments.vararg, annotation=None),
            kwonlyargs=[plain(argument) for argument in arguments.kwonlyargs],
            kw_defaults=[value and self._default(argument, value) for argument, value in keyword_defaults],
            defaults=[self._default(argument, value) for argument, value in zip(with_default, arguments.defaults)],
        )

    def _annotation(self, annotation: ast.expr | None) -> ast.expr | None:
        """The annotation of a parameter if it means constexpr."""
        if isinstance(annotation, ast.Constant) and re.fullmatch(r"(\w+\.)*constexpr", str(annotation.value)):
            return _CONSTEXPR
        root, attributes = _chain(annotation)
        if not isinstance(root, ast.Name) or root.id not in self._function.names:
            return None
        name, meaning, rest = self._meaning(root.id, attributes)
        if not _means_constexpr(meaning, rest):
            return None
        parts = [root.id, *attributes]
        if parts[-1] != "constexpr" or any(part.startswith("__") for part in parts):  # Triton goes by the text
            return _CONSTEXPR
        self._used[name] = meaning
        return annotation

    def _default(self, argument: ast.arg, default: ast.expr) -> ast.expr:
        """A default value: as it was written if it is a number or a text, else a name for the value that arrived."""
        meaning = self._function.defaults.get(argument.arg)
        if meaning is None or meaning.kind not in ("plain", "library"):
            self._refuse(default, said("a default value of a kernel is a number, a text, or a type of Triton's"))
        self._check_meaning(default, meaning, [])
        if meaning.kind == "plain" and not meaning.constexpr:
            try:
                if repr(ast.literal_eval(default)) == repr(_frozen(meaning.value)):
                    return default
            except (ValueError, TypeError):
                pass
        self.namespace[_DEFAULT + argument.arg] = _object(meaning)
        return ast.Name(id=_DEFAULT + argument.arg, ctx=ast.Load())

    # The check

    def _check(self, node: ast.AST, bound: set[str]) -> None:
        """Refuse a node, or one below it, that is not in Triton's language. bound: the local names."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            self._check_chain(node, bound)
        elif isinstance(node, ast.Call):
            self._check_call(node, bound)
        elif isinstance(node, ast.ListComp):
            self._check_comprehension(node, bound)
        elif isinstance(node, ast.Constant):
            if type(node.value) not in (*_PLAIN, type(...)):
                self._refuse(node, said("Triton's language has numbers, text, True, False and None"))
        elif isinstance(node, ast.FormattedValue):
            if node.format_spec is not None:
                self._refuse(node, said("Triton's language has no formats"))
            self._check(node.value, bound)
        elif isinstance(node, _NODES):
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                self._refuse(node, fault("part-of-a-block", "Triton's language cannot assign to a part of a block"))
            for child in ast.iter_child_nodes(node):
                self._check(child, bound)
        else:
            self._refuse(node, said("Triton's language has no such construct"), _WORDS.get(type(node)))

    def _check_chain(self, node: ast.Name | ast.Attribute, bound: set[str]) -> None:
        """Check a name, or an attribute, with the object that it is read from."""
        root, attributes = _chain(node)
        if not isinstance(node.ctx, ast.Load) and attributes:
            self._refuse(node, said("a kernel cannot set an attribute"))
        hidden = next((name for name in attributes if name.startswith("_")), None)
        if hidden:
            self._refuse(node, said("a kernel may not use `{hidden}`, which is not public", hidden=hidden))
        if not isinstance(root, ast.Name):
            self._check(root, bound)
            self._check_attributes(node, attributes)
            return
        self._check_name(root, root.id)
        if root.id in bound:
            self._check_attributes(node, attributes)
        elif root.id in self._function.names:
            name, meaning, rest = self._meaning(root.id, attributes)
            self._check_meaning(node, meaning or self._function.names[root.id], rest)
            self._used[name] = meaning
        elif root.id in _SAFE_BUILTINS:
            self._check_attributes(node, attributes)
        elif hasattr(builtins, root.id):
            self._refuse(node, said("a kernel may not use this function of Python"))

    def _meaning(self, name: str, attributes: list[str]) -> tuple[str, Global | None, list[str]]:
        """(the beginning of a dotted name that has a meaning, its meaning, the attributes after it).

        The meaning is None where an object is foreign and its attribute means nothing either.
        """
        meaning, rest = self._function.names[name], list(attributes)
        while meaning is not None and meaning.kind == "foreign" and rest:
            name = f"{name}.{rest.pop(0)}"
            meaning = self._function.names.get(name)
        return name, meaning, rest

    def _check_meaning(self, node: ast.AST, meaning: Global, attributes: list[str]) -> None:
        """Refuse an object that no kernel may use. attributes: those that are read from it."""
        if meaning.kind == "module":
            self._check_module(node, meaning.text, attributes)
            return
        if meaning.kind == "foreign" and kind_of(meaning.text) == "value":
            self._refuse(
                node,
                fault(
                    "notebook-value",
                    "no line of the kernel gives it a value, and what has this name is {text}",
                    text=_brief(meaning),
                ),
            )
        if meaning.kind == "foreign":
            kind = _brief(meaning)
            self._refuse(
                node,
                fault(
                    "foreign-function",
                    "a kernel takes Triton's own functions and dtypes, and this one is {kind}",
                    kind=kind,
                ),
            )
        if meaning.kind == "library":
            place = kernel_language().get(meaning.text)
            if place is None or meaning.name not in place.names:
                self._refuse(node, said("Triton's language has no such function"))
        elif meaning.kind == "plain" and not _is_plain(meaning.value):
            self._refuse(node, said("a kernel takes numbers and text from outside, and this is something else"))
        elif meaning.kind == "named" and not _names_fields(meaning.value):
            self._refuse(node, said("the fields of a named tuple have plain names and default values"))
        elif meaning.kind == "function" and not 0 <= meaning.index < self._count:
            self._refuse(node, said("this function did not arrive"))
        self._check_attributes(node, attributes)

    def _check_module(self, node: ast.AST, path: str, attributes: list[str]) -> None:
        """Refuse a module of Triton's language as a value, and names in it that are not made for kernels."""
        language, rest = kernel_language(), list(attributes)
        while rest and f"{path}.{rest[0]}" in language:
            path = f"{path}.{rest.pop(0)}"
        if path not in language or not rest:
            self._refuse(node, said("a module is no value for a kernel"))
        if rest[0] in language[path].names:
            self._check_attributes(node, rest[1:])
        elif hasattr(language[path].object, rest[0]):
            self._refuse(
                node, said("a kernel takes the functions and types of Triton's language, and this is another part")
            )

    def _check_attributes(self, node: ast.AST, attributes: list[str]) -> None:
        fields = {name + _FIELD for name in self._fields}
        unknown = next((name for name in attributes if name not in _ATTRIBUTES and name not in fields), None)
        if unknown:
            self._refuse(
                node,
                fault(
                    "no-attribute",
                    "neither blocks nor types nor constants have an attribute `{unknown}` in kernels",
                    unknown=unknown,
                ),
            )

    def _check_call(self, node: ast.Call, bound: set[str]) -> None:
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            self._refuse(node, said("a kernel calls functions by their names"))
        for keyword in node.keywords:
            if keyword.arg is None:
                self._refuse(node, said("Triton's language has no `**`"))
            if keyword.arg.startswith("_") or keyword.arg in FILLED_IN:
                self._refuse(node, said("a kernel may not set `{arg}`", arg=keyword.arg))
        for part in (node.func, *node.args, *(keyword.value for keyword in node.keywords)):
            self._check(part, bound)

    def _check_comprehension(self, node: ast.ListComp, bound: set[str]) -> None:
        """Check a list comprehension. Its variables are local to it, but for the first iterable."""
        first = node.generators[0]
        self._check(first.iter, bound)
        inner = bound | {name for part in node.generators for name in _bound(part.target)}
        for part in node.generators:
            if part.is_async:
                self._refuse(node, said("Triton's language has no such construct"), "`async`")
            parts = [part.target, *part.ifs] if part is first else [part.target, part.iter, *part.ifs]
            for each in parts:
                self._check(each, inner)
        self._check(node.elt, inner)

    def _check_name(self, node: ast.AST, name: str) -> None:
        if name.startswith("__") or name in REWRITER_NAMES:
            self._refuse(node, said("a kernel may not use this name"), f"`{name}`")

    def _refuse(self, node: ast.AST, why: str, words: str | None = None) -> NoReturn:
        """Raise RefusedKernel. words: for the construct; by default its text."""
        text = " ".join(ast.unparse(node).split())
        words = words or (f"`{text}`" if len(text) <= 60 else f"`{text[:30]} ... {text[-25:]}`")
        line = self._lines[node.lineno - 1].strip()[:120] if 0 < getattr(node, "lineno", 0) <= len(self._lines) else ""
        sentence = fault(kind_of(why), "{words} in the line `{line}`: {why}", words=words, line=line, why=why)
        raise RefusedKernel(sentence)

    # The namespace

    def _bind(self, name: str, value) -> None:
        """Put an object into the namespace, under a name or a dotted name."""
        *above, last = name.split(".")
        if above:
            setattr(self._holder(".".join(above)), last, value)
        else:
            self.namespace[last] = value

    def _holder(self, name: str):
        """An object that holds the attributes of a foreign one that the text uses, and nothing else."""
        if name not in self._holders:
            module = self._function.names[name].name
            is_module = module and not module.startswith("triton")  # Triton's compiler goes by such names
            self._holders[name] = types.ModuleType(module) if is_module else types.SimpleNamespace()
            self._bind(name, self._holders[name])
        return self._holders[name]


def _defs(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip().startswith("def ")]


def _without_docstring(text: str, tree: ast.FunctionDef) -> tuple[str, ast.FunctionDef]:
    """(text, tree) of a function with empty lines in its docstring. Both as they were if there is none."""
    first = ast.parse(text).body[0].body[0]
    if (
        not isinstance(first, ast.Expr)
        or not isinstance(first.value, ast.Constant)
        or type(first.value.value) is not str
    ):
        return text, tree
    start, end, lines = first.lineno - 1, first.end_lineno - 1, text.split("\n")
    before = lines[start].encode()[: first.col_offset].decode()
    after = lines[end].encode()[first.end_col_offset :].decode()
    lines[start : end + 1] = (f'{before}"""' + "\n" * (end - start) + f'"""{after}').split("\n")
    empty = ast.Expr(value=ast.Constant(value="\n" * (end - start)))
    return "\n".join(lines), _changed(tree, body=[empty, *tree.body[1:]])


_CONSTEXPR = ast.Attribute(value=ast.Name(id=_LANGUAGE, ctx=ast.Load()), attr="constexpr", ctx=ast.Load())


def _changed(node: ast.AST, **fields) -> ast.AST:
    """A copy of a node with other fields."""
    node = copy.copy(node)
    for name, value in fields.items():
        setattr(node, name, value)
    return node


def _means_constexpr(meaning: Global | None, attributes: list[str]) -> bool:
    if meaning is None or meaning.constexpr:
        return False
    if meaning.kind == "module":
        return f"{meaning.text}.{'.'.join(attributes)}" == "triton.language.constexpr"
    return (meaning.kind, meaning.text, meaning.name, attributes) == ("library", "triton.language", "constexpr", [])


def _arguments(tree: ast.FunctionDef) -> list[ast.arg]:
    arguments = tree.args
    several = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return arguments.posonlyargs + arguments.args + arguments.kwonlyargs + several


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a node binds in the scope that it is in: those of a comprehension are not in it."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension):
            for each in (child.iter, *child.ifs):
                yield from _bound(each)
        else:
            yield from _bound(child)


def _chain(node: ast.AST | None) -> tuple[ast.AST | None, list[str]]:
    """(the object that attributes are read from, the attributes)."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    return node, attributes


def _is_plain(value) -> bool:
    if type(value) in (tuple, list):
        return all(_is_plain(part) for part in value)
    return type(value) in _PLAIN


def _names_fields(value) -> bool:
    """Whether a value is [names of fields, default values of the last ones]."""
    if type(value) is not list or len(value) != 2 or not _is_plain(value) or type(value[0]) is not list:
        return False
    names, defaults = value
    plain = all(type(n) is str and n.isidentifier() and not n.startswith("_") for n in names)
    return plain and not any(map(iskeyword, names)) and len({*names}) == len(names) >= len(defaults)


def _named(value):
    """The class of a named tuple. value: as in `_names_fields`."""
    names, defaults = value
    names = [n if n in _ATTRIBUTES else n + _FIELD for n in names]
    return collections.namedtuple("Named", names, defaults=_frozen(defaults))


def named_tuple(names: list[str], values: list):
    """An argument of a launch that is a named tuple. Raises RefusedKernel."""
    if not _names_fields([names, []]) or len(names) != len(values):
        raise RefusedKernel(said("the fields of a named tuple have plain names"))
    return _named([names, []])(*values)


def _object(meaning: Global):
    """The object of a checked meaning, for any kind but "function"."""
    if meaning.kind == "module":
        return kernel_language()[meaning.text].object
    if meaning.kind == "library":
        return _wrapped(getattr(kernel_language()[meaning.text].object, meaning.name), meaning)
    if meaning.kind == "named":
        return _named(meaning.value)
    return _wrapped(_frozen(meaning.value), meaning)


def _frozen(value):
    """A plain value with tuples for lists: a list would keep what one program put into it for the next."""
    return tuple(_frozen(part) for part in value) if type(value) in (tuple, list) else value


def _wrapped(value, meaning: Global):
    """A value as it is, or as the constant that it is to Triton's compiler. The interpreter has no wrapper for either:
    a parameter that is a tl.constexpr is a plain value there.
    """
    return triton.language.constexpr(value) if meaning.constexpr and not is_interpreted() else value


def _brief(meaning: Global) -> str:
    """What a foreign object is, in at most 100 characters."""
    return meaning.text if len(meaning.text) <= 100 else meaning.text[:100]
