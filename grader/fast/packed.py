"""A block of words: its state, and its softmax. A word is a float, or a pair of 16-bit floats in 32 bits.

In long 16-bit rows, pairs save registers and instructions: on an NVIDIA GPU one instruction takes the maxima of two
pairs, and one rounds two numbers. Triton has no operation for either, so they are written in PTX.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .rows import LN_2, LOG2_E, result

# The value of lanes outside of the row: a pair of -inf.
NOTHING_BFLOAT16 = tl.constexpr(-8323200)  # 0xff80ff80
NOTHING_FLOAT16 = tl.constexpr(-67044352)  # 0xfc00fc00
NEAR_ZERO = tl.constexpr(1000.0)


@triton.jit
def load(ptr, mask, KIND: tl.constexpr, EVICT: tl.constexpr):
    """Words of KIND "float" (of any dtype), or pairs of "bf16" or "fp16"; -inf where the mask is off. None: no mask."""
    if KIND == "float":
        nothing: tl.constexpr = -float("inf")
    else:
        nothing: tl.constexpr = NOTHING_BFLOAT16 if KIND == "bf16" else NOTHING_FLOAT16
    if mask is None:
        word = tl.load(ptr, eviction_policy=EVICT)
    else:
        word = tl.load(ptr, mask=mask, other=nothing, eviction_policy=EVICT)
    return word.to(tl.float32) if KIND == "float" else word


@triton.jit
def halves(word, KIND: tl.constexpr):
    """The two numbers of each word, as float32."""
    if KIND == "bf16":  # bfloat16 is the upper half of a float32
        return (word << 16).to(tl.float32, bitcast=True), (word & -65536).to(tl.float32, bitcast=True)
    else:
        low = word.to(tl.int16).to(tl.float16, bitcast=True)
        return low.to(tl.float32), (word >> 16).to(tl.int16).to(tl.float16, bitcast=True).to(tl.float32)


@triton.jit
def _larger_bfloat16(a, b):
    return tl.inline_asm_elementwise("max.bf16x2 $0, $1, $2;", "=r,r,r", [a, b], tl.int32, is_pure=True, pack=1)


@triton.jit
def _larger_float16(a, b):
    return tl.inline_asm_elementwise("max.f16x2 $0, $1, $2;", "=r,r,r", [a, b], tl.int32, is_pure=True, pack=1)


@triton.jit
def largest(word, KIND: tl.constexpr, PTX: tl.constexpr):
    """The maximum of a block, as float32."""
    if KIND == "float":
        return tl.max(word, axis=0)
    else:
        if PTX:
            word = tl.reduce(word, 0, _larger_bfloat16 if KIND == "bf16" else _larger_float16)
            low, high = halves(word, KIND)
            return tl.maximum(low, high)
        else:
            low, high = halves(word, KIND)
            return tl.max(tl.maximum(low, high), axis=0)


@triton.jit
def state(word, KIND: tl.constexpr, PTX: tl.constexpr):
    """(m, d) of a block: its maximum, and the sum of exp(x - m); (-inf, 0) where all values are -inf."""
    m = largest(word, KIND, PTX)
    return m, total(word, m, KIND)


@triton.jit
def total(word, m, KIND: tl.constexpr):
    """The sum of exp(x - m) of a block; 0 for an m of -inf."""
    shift = tl.where(m == -float("inf"), 0.0, m)
    if KIND == "float":
        return tl.sum(tl.exp2((word - shift) * LOG2_E), axis=0)
    else:
        low, high = halves(word, KIND)
        return tl.sum(tl.exp2((low - shift) * LOG2_E) + tl.exp2((high - shift) * LOG2_E), axis=0)


@triton.jit
def softmax(word, m, d, KIND: tl.constexpr, PTX: tl.constexpr, LOG: tl.constexpr):
    """exp(x - m) / d, or its logarithm (LOG), as words."""
    if KIND == "float":
        return result(word, tl.exp2((word - m) * LOG2_E), m, d, LOG)
    else:
        low, high = halves(word, KIND)
        log_d = tl.log2(d)  # the division becomes a subtraction in the exponent
        if LOG:
            return _rounded((low - m) - log_d * LN_2, (high - m) - log_d * LN_2, KIND, PTX)
        return _rounded(tl.exp2((low - m) * LOG2_E - log_d), tl.exp2((high - m) * LOG2_E - log_d), KIND, PTX)


@triton.jit
def _rounded(low, high, KIND: tl.constexpr, PTX: tl.constexpr):
    """Two float32 blocks, rounded to 16 bits, as one block of words."""
    if PTX:
        name: tl.constexpr = "cvt.rn.bf16x2.f32" if KIND == "bf16" else "cvt.rn.f16x2.f32"
        return tl.inline_asm_elementwise(name + " $0, $1, $2;", "=r,f,f", [high, low], tl.int32, is_pure=True, pack=1)
    else:
        low_bits = _bits(low, KIND) & 65535
        return low_bits | (_bits(high, KIND) << 16)


@triton.jit
def _bits(x, KIND: tl.constexpr):
    half = x.to(tl.bfloat16) if KIND == "bf16" else x.to(tl.float16)
    return half.to(tl.int16, bitcast=True).to(tl.int32)


@triton.jit
def pair_row_kernel(
    y_ptr, x_ptr, y_units, x_units, n_units, UNIT: tl.constexpr, BLOCK: tl.constexpr, FULL: tl.constexpr,
    KIND: tl.constexpr, PTX: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """Softmax of row program_id(0), two elements a word; strides and lengths come in units of UNIT words.

    FULL: the row is as long as the block, and no lane needs a mask.
    """
    row = tl.program_id(0).to(tl.int64)
    inside = tl.arange(0, BLOCK)
    x_ptr += row * x_units * UNIT + inside
    y_ptr += row * y_units * UNIT + inside
    if FULL:
        word = tl.load(x_ptr)
        m = largest(word, KIND, PTX)
        if tl.abs(m) < NEAR_ZERO:
            # subtle: where the scaling comes before the shift, numbers can be computed from their words a second time
            # and need not be kept. That takes half the registers. So near to 0 it costs no digit that 16 bits can hold.
            low, high = halves(word, KIND)
            shift = m * LOG2_E
            d = tl.sum(tl.exp2(low * LOG2_E - shift) + tl.exp2(high * LOG2_E - shift), axis=0)
            if LOG:
                y = softmax(word, m, d, KIND, PTX, LOG)
            else:
                shift += tl.log2(d)
                y = _rounded(tl.exp2(low * LOG2_E - shift), tl.exp2(high * LOG2_E - shift), KIND, PTX)
        else:
            m, d = state(word, KIND, PTX)
            y = softmax(word, m, d, KIND, PTX, LOG)
        tl.store(y_ptr, y)
    else:
        mask = inside < n_units * UNIT
        word = load(x_ptr, mask, KIND, "")
        m, d = state(word, KIND, PTX)
        tl.store(y_ptr, softmax(word, m, d, KIND, PTX, LOG), mask=mask)
