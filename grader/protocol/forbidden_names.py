"""Forbidden names: internals of Python and of libraries that no answer of this course needs."""

from __future__ import annotations

_NAMES = frozenset(
    "open eval exec globals locals vars breakpoint setattr delattr attrgetter methodcaller get_type_hints "
    "os gc ctypes inspect builtins importlib subprocess multiprocessing threading concurrent socket types pickle io "
    "modules meta_path path_hooks call_tracing monitoring addaudithook settrace setprofile "
    "storage untyped_storage typed_storage interpreter runtime "
    "f_back f_locals f_globals tb_frame gi_frame cr_frame ag_frame "
    # Functions that run a text as code, or read an attribute whose name is a text.
    "runstring rundocs Timer benchmark hub fx package cpp_extension load_inline f2py distutils ctypeslib "
    "breakpointhook singledispatch singledispatchmethod make_dataclass ForwardRef evaluate_forward_ref "
    "Formatter get_field update_wrapper library custom_op Library Thread ThreadPoolExecutor".split()
)
_SPECIAL = frozenset("__init__ __name__ __doc__ __class__ __len__ __call__ __setitem__ __getitem__ __version__".split())


def inner(name: str) -> bool:
    """Whether the name of a module or an attribute is forbidden. Names with an underscore are, with few exceptions."""
    return name in _NAMES or (name.startswith("_") and name not in _SPECIAL)
