"""python -m grader audit: a function of a file that launches Triton kernels, against a reference."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import inspect
import os
import pathlib
import re
import sys
from collections.abc import Callable

from ..language import say
from ..sentence import said

_MODULE = "audited"
_PLACE = r"(?P<source>.+\.py|[\w.]+)::(?P<name>[^\W\d]\w*)"
_DEFAULTS = "_defaults"  # of the function's parameters, in an expression of them


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser(
        "audit", help=said("audit a function that launches Triton kernels, without a GPU, against a reference")
    )
    parser.add_argument(
        "function",
        metavar="FILE.py::FUNCTION",
        help=said("a function of tensors, or of a module: package.module::NAME"),
    )
    parser.add_argument(
        "--against",
        required=True,
        metavar="REFERENCE",
        help=said(
            "what is right: a function such as torch.nn.functional.gelu, one of the file, one of another "
            "(FILE.py::FUNCTION), or an expression of the function's parameters such as 'torch.softmax(x, -1)'"
        ),
    )
    parser.add_argument(
        "--inputs",
        required=True,
        metavar="EXPRESSIONS",
        help=said(
            "the inputs, with commas between them, such as 'randn(4, 781), randn(781)'; names of torch need no module "
            "in front"
        ),
    )
    parser.add_argument(
        "--gpus",
        default="T4,H100,MI300X",
        metavar="NAMES",
        help=said("GPUs to compile for, with commas between them, '' for none; without it T4,H100,MI300X"),
    )
    parser.add_argument(
        "--seconds", type=float, default=6.0, help=said("after which no more cases are made; 6 without it")
    )
    parser.add_argument("--seed", type=int, default=0, help=said("of what is drawn at random; 0 without it"))
    parser.add_argument("--junit", type=pathlib.Path, metavar="FILE", help=said("write the report as JUnit XML"))
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help=said("write the report as JSON"))
    parser.set_defaults(run=run)


def run(options) -> int:
    """Print the report. Exit status 0: no fault. 1: faults, or nothing could be audited. 2: a usage error."""
    from ..auditing import report_files
    from ..auditing.audit import CannotAudit, audit

    if "triton" not in sys.modules:  # also where there is a GPU: kernels are interpreted in this process
        os.environ["TRITON_INTERPRET"] = "1"
    try:
        module, function = _function(options.function)
        reference = _reference(options.against, module, function, options.function.rpartition("::")[0])
        inputs = _inputs(options.inputs, module, options.seed)
        _takes(function, inputs)
        gpus = tuple(filter(None, options.gpus.split(",")))
        report = audit(function, reference, *inputs, gpus=gpus, seconds=options.seconds, seed=options.seed)
    except (_Usage, CannotAudit) as error:
        # No full stop: an error of others ends as it likes.
        print(say(said("Nothing audited: {error}", error=error)), file=sys.stderr)
        return 2
    report.reference = options.against
    print(report)
    try:
        if options.junit:
            options.junit.write_bytes(report_files.junit(report))
        if options.json:
            options.json.write_text(report_files.as_json(report), encoding="utf-8")
    except OSError as error:
        print(say(said("The report was not written: {error}.", error=error)), file=sys.stderr)
        return 2
    return 0 if report else 1


class _Usage(ValueError):
    """A usage error, as a sentence without its full stop."""


def _function(place: str):
    """(module, function) of a place such as kernels.py::softmax."""
    source, _, name = place.rpartition("::")
    if not source or not name:
        raise _Usage(said("{place} names no function: write FILE.py::FUNCTION", place=place))
    if source.endswith(".py") and not pathlib.Path(source).is_file():
        raise _Usage(said("there is no file {file}", file=source))
    try:
        module = _module(source)
    except (Exception, SystemExit) as error:
        raise _Usage(
            said("{source} cannot be imported: {type}: {error}", source=source, type=type(error).__name__, error=error)
        ) from error
    if not callable(getattr(module, name, None)):
        near = difflib.get_close_matches(name, [key for key, value in vars(module).items() if callable(value)], 1)
        told = said("{source} has no function {name}", source=source, name=name)
        raise _Usage(said("{told}; {near} is one", told=told, near=near[0]) if near else told)
    found = getattr(module, name)
    if hasattr(found, "fn") and hasattr(type(found), "__getitem__"):
        raise _Usage(said("{name} is a kernel: name the function that launches it", name=name))
    return module, found


def _module(source: str):
    """The module of a file, imported under its own name with its folder on the path; or a module by its dotted name."""
    sys.path.insert(0, str(pathlib.Path.cwd()))
    if not source.endswith(".py"):
        return importlib.import_module(source)
    file = pathlib.Path(source).resolve()
    sys.path.insert(0, str(file.parent))
    name = file.stem if importlib.util.find_spec(file.stem) is None else _MODULE  # no other module of this name is lost
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _reference(text: str, module, function, function_in: str) -> Callable:
    """The reference: a function by its name or its place, or one of the parameters that an expression is of."""
    names = _names(module)
    if place := re.fullmatch(_PLACE, text):  # no x[::2]
        if place["source"] != function_in:
            return _function(text)[1]
        text = place["name"]
    tree = _parsed(text)
    if isinstance(tree, (ast.Name, ast.Attribute, ast.Lambda)):
        found = _evaluated(text, names)
        if not callable(found):
            raise _Usage(said("{text} is no function", text=text))
        return found
    parameters = _signature(function).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    bare = [
        p.replace(annotation=p.empty, default=_Default(p.name) if p.name in defaults else p.empty) for p in parameters
    ]
    return _evaluated(f"lambda {str(inspect.Signature(bare))[1:-1]}: {text}", names | {_DEFAULTS: defaults})


class _Default(str):
    """A default that is written as the place where it is kept."""

    def __repr__(self) -> str:
        return f"{_DEFAULTS}[{str(self)!r}]"


def _signature(function) -> inspect.Signature:
    """Of a module of PyTorch, that of its forward: the call itself takes anything."""
    import torch

    called = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        return inspect.signature(called)
    except (TypeError, ValueError):
        raise _Usage(
            said("the parameters of {function} are unknown: name a function as reference", function=function)
        ) from None


def _inputs(text: str, module, seed: int) -> tuple:
    import torch

    torch.manual_seed(seed)
    if not text.strip():
        raise _Usage(said("--inputs is empty"))
    _parsed(f"({text},)", text)
    return _evaluated(f"({text},)", vars(torch) | _names(module))


def _takes(function, inputs: tuple) -> None:
    """Raise a usage error where the function has not as many parameters as there are inputs."""
    try:
        signature = _signature(function)
    except _Usage:
        return
    try:
        signature.bind(*inputs)
    except TypeError as error:
        values = {"function": getattr(function, "__name__", type(function).__name__), "error": error}
        told = said(
            "{function}{signature} does not take {count} inputs: {error}",
            signature=signature,
            count=len(inputs),
            **values,
        )
        one = said("{function}{signature} does not take 1 input: {error}", signature=signature, **values)
        raise _Usage(one if len(inputs) == 1 else told) from None


def _names(module) -> dict:
    import torch

    return {"torch": torch, **vars(module)}


def _parsed(text: str, shown: str | None = None) -> ast.expr:
    """The expression. shown: what a usage error names in its place."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise _Usage(said("{text} is no expression of Python: {error}", text=shown or text, error=error)) from None


def _evaluated(text: str, names: dict):
    try:
        return eval(text, names)
    except (Exception, SystemExit) as error:
        raise _Usage(
            said("{text} cannot be computed: {type}: {error}", text=text, type=type(error).__name__, error=error)
        ) from None
