"""The operators that the device runs: a list of PyTorch's own, by their names in aten.

An operator that is not in the list is refused, whatever Python called it. The list has what a softmax, an attention or
a test of either may be made of. It leaves out softmax and its relatives in one operator, and what reads files, pointers
or storages.
"""

from __future__ import annotations

import functools

from ..sentence import said

_ANY_FORM = """
abs acos acosh add addbmm addcdiv addcmul addmm addmv addr angle asin asinh atan atan2 atanh baddbmm bitwise_and
bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min copysign
cos cosh cumprod cumsum digamma div elu eq erf erfc erfinv exp exp2 expm1 fill float_power floor floor_divide fmax fmin
fmod frac gcd ge gelu gt hardshrink hardsigmoid hardswish hardtanh heaviside hypot i0 index_add index_copy index_fill
index_put index_reduce lcm ldexp le leaky_relu lerp lgamma log log10 log1p log2 logaddexp logaddexp2 logical_and
logical_not logical_or logical_xor logit lt masked_fill masked_scatter maximum minimum mish mul nan_to_num ne neg
nextafter polygamma positive pow put reciprocal relu remainder round rsqrt rsub scatter scatter_add scatter_reduce selu
sgn sigmoid sign signbit silu sin sinc sinh softplus softshrink sqrt square sub tan tanh threshold tril triu true_divide
trunc where xlogy zero
"""  # each of them also with "_" behind its name, in place
_OTHERS = """
alias all allclose amax amin aminmax any arange argmax argmin argsort as_strided as_strided_scatter bernoulli
bernoulli_ bincount bmm bucketize cat clone complex conj_physical constant_pad_nd copy copy_ count_nonzero cummax
cummin detach detach_ diag diag_embed diagonal diagonal_scatter dot equal expand eye empty empty_like empty_permuted
empty_strided exponential_ flip frexp full full_like gather histc im2col index index_select isfinite isin isinf isnan
isneginf isposinf kthvalue lift lift_fresh linalg_vector_norm linspace logspace masked_select max mean median min mm
mode mv nanmedian nansum new_empty new_empty_strided new_full new_ones new_zeros nonzero norm normal normal_ ones
ones_like permute prod rand rand_like randint randint_like randn randn_like random_ randperm repeat repeat_interleave
roll rot90 scalar_tensor searchsorted select select_scatter slice slice_scatter sort split split_with_sizes squeeze
stack std std_mean sum t take tensor_split topk trace transpose tril_indices triu_indices unbind unfold uniform_
unique_consecutive unique_dim unsqueeze unsafe_split unsafe_split_with_sizes var var_mean vdot view view_as_complex
view_as_real zeros zeros_like _conj _local_scalar_dense _reshape_alias _to_copy _unique2 _unsafe_index
_unsafe_index_put _unsafe_view
"""
# What the derivatives of the others are made of, where autograd calls no operator of the lists above.
_OF_DERIVATIVES = """
elu_backward gelu_backward hardtanh_backward index_select_backward leaky_relu_backward logit_backward
select_backward sigmoid_backward silu_backward slice_backward softplus_backward tanh_backward threshold_backward
value_selecting_reduction_backward diagonal_backward unfold_backward
"""
ALLOWED = frozenset(_ANY_FORM.split()) | {f"{name}_" for name in _ANY_FORM.split()}
ALLOWED |= frozenset((_OTHERS + _OF_DERIVATIVES).split())


# Of these, the ones whose result has a shape that depends on numbers.
TELLING_SHAPES = frozenset(
    "nonzero masked_select _unique2 unique_dim unique_consecutive repeat_interleave bincount index".split()
)


class RefusedOperator(RuntimeError):
    """An operator that the device does not run."""


@functools.cache
def operator(name: str, overload: str):
    """PyTorch's operator of this name. name: with its namespace, such as "aten::add". Raises RefusedOperator.

    One that PyTorch makes of others is refused: the host sends the others. Its own code may read numbers uncounted.
    """
    import torch

    space, _, short = name.partition("::")
    if space != "aten" or short not in ALLOWED:
        raise RefusedOperator(
            said("the device does not run PyTorch's operator {value}", value=short if space == "aten" else name)
        )
    found = getattr(getattr(torch.ops.aten, short), overload or "default")
    if torch._C._dispatch_has_kernel_for_dispatch_key(found.name(), "CompositeImplicitAutograd"):
        raise RefusedOperator(
            said("the device runs the operators that {short} is made of, and not {short} itself", short=short)
        )
    return found
