"""Cross-entropy of the rows of a matrix of logits: each logit read once, one exponential each.

A state of a row is (c, log2 d): where its exponents begin, and d, the sum of 2^exponent(x, c). With c the maximum m of
the row, an exponent is log2(e) * (x - m), and the loss is log d + m - x[target]. The gradient needs nothing else of a
row: exp(x - m) / d - (column == target). Where the hardware multiplies and adds with one rounding (FUSED), c is
log2(e) * m, and an exponent log2(e) * x - c: one instruction, not two, since 16-bit logits arrive fast.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .rows import LN_2, LOG2_E, cut


@triton.jit
def _origin(m, FUSED: tl.constexpr):
    """c for numbers whose maximum is m."""
    return m * LOG2_E if FUSED else m


@triton.jit
def _finite(c):
    """0 for a c of -inf: the exponent of -inf is to be -inf, and no NaN."""
    return tl.where(c == -float("inf"), 0.0, c)


@triton.jit
def _exponent(x, c, FUSED: tl.constexpr):
    """The exponents of numbers x."""
    return tl.fma(x, LOG2_E, -c) if FUSED else (x - c) * LOG2_E


@triton.jit
def _apart(c, other, FUSED: tl.constexpr):
    """How much larger exponents become that were counted from c, when they are counted from `other`."""
    return c - other if FUSED else (c - other) * LOG2_E


@triton.jit
def _loss(c, log_d, s, hit, smoothing, n_cols, FUSED: tl.constexpr, SMOOTH: tl.constexpr):
    """The loss of rows, from their states, the sums s of all exponents, and the logits of their targets (hit)."""
    loss = log_d - _exponent(hit, c, FUSED)
    if SMOOTH:
        loss = (1.0 - smoothing) * loss + smoothing * (log_d - s / n_cols)
    return loss * LN_2


@triton.jit
def _keep(losses_ptr, states_ptr, parts_ptr, rows, there, c, log_d, loss, counted, REDUCED: tl.constexpr):
    """Store the states of a block of rows, and their losses as tile_kernel says."""
    tl.store(states_ptr + 2 * rows, c, mask=there)
    tl.store(states_ptr + 2 * rows + 1, log_d, mask=there)
    if REDUCED:
        tl.store(parts_ptr + tl.program_id(0), tl.sum(loss, axis=0))
        tl.store(parts_ptr + tl.num_programs(0) + tl.program_id(0), tl.sum(counted.to(tl.float32), axis=0))
    else:
        tl.store(losses_ptr + rows, loss, mask=there)


@triton.jit
def tile_kernel(
    losses_ptr, states_ptr, parts_ptr, x_ptr, targets_ptr, x_units, n_rows, n_units, ignore, smoothing,
    UNIT: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr,
    FUSED: tl.constexpr,
):  # fmt: skip
    """The losses of ROWS rows of n_units * UNIT logits, at most BLOCK, and their states.

    REDUCED: the sum of these losses, and how many targets are not to be ignored, go to parts_ptr[program_id(0)] and
    behind all such sums; else each loss goes to losses_ptr. x_units: from row to row, in units of UNIT logits.
    """
    n_cols = n_units * UNIT
    cols = tl.arange(0, BLOCK)[None, :]
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    there = rows < n_rows
    mask = there[:, None] & (cols < n_cols)
    x = tl.load(x_ptr + rows[:, None] * x_units * UNIT + cols, mask=mask, other=-float("inf")).to(tl.float32)
    target = tl.load(targets_ptr + rows, mask=there, other=ignore)
    counted = there & (target != ignore)
    tl.device_assert((target >= 0) & (target < n_cols) | (target == ignore), "target is out of bounds")
    hit = tl.load(x_ptr + rows * x_units * UNIT + target, mask=counted, other=0.0).to(tl.float32)
    c = _origin(tl.max(x, axis=1), FUSED)
    exponent = _exponent(x, _finite(c)[:, None], FUSED)
    d = tl.sum(tl.exp2(exponent), axis=1)
    s = tl.sum(tl.where(mask, exponent, 0.0), axis=1) if SMOOTH else d
    log_d = tl.log2(d)
    loss = tl.where(counted, _loss(c, log_d, s, hit, smoothing, n_cols, FUSED, SMOOTH), 0.0)
    _keep(losses_ptr, states_ptr, parts_ptr, rows, there, c, log_d, loss, counted, REDUCED)


@triton.jit
def _join(c, d, s, seen, x, mask, FUSED: tl.constexpr, SMOOTH: tl.constexpr):
    """States of lanes, joined with a tile x (tiles × lanes × UNIT). seen: how many logits are in s."""
    new = tl.maximum(c, _origin(tl.max(tl.max(x, axis=2), axis=0), FUSED))
    start = _finite(new)
    exponent = _exponent(x, start[None, :, None], FUSED)
    d = d * tl.exp2(_apart(c, start, FUSED)) + tl.sum(tl.sum(tl.exp2(exponent), axis=2), axis=0)
    if SMOOTH:
        s += seen * _apart(_finite(c), start, FUSED) + tl.sum(tl.sum(tl.where(mask, exponent, 0.0), axis=2), axis=0)
        seen += tl.sum(tl.sum(mask.to(tl.float32), axis=2), axis=0)
    return new, d, s, seen


@triton.jit
def _walk(
    x_ptr, first, piece, n_cols, piece_vectors, UNIT: tl.constexpr, LANES: tl.constexpr, EACH: tl.constexpr,
    SMOOTH: tl.constexpr, FUSED: tl.constexpr,
):  # fmt: skip
    """(c, d, s, logits) of a piece of the row that begins at element `first`, in tiles of EACH times LANES vectors.

    The maximum is taken once a tile and lane, so that a logit costs one exponential, and not two. piece_vectors: of a
    piece; the elements before and behind the whole vectors of the row belong to piece 0.
    """
    begin, vectors, cols, left = cut(first, n_cols, UNIT)
    ends = tl.load(x_ptr + first + cols, mask=left & (piece == 0), other=-float("inf")).to(tl.float32)
    lane = tl.arange(0, LANES)[None, :, None]
    vector = tl.arange(0, EACH)[:, None, None] * LANES + lane
    inside = vector * UNIT + tl.arange(0, UNIT)[None, None, :]
    start = piece * piece_vectors
    length = tl.maximum(tl.minimum(piece_vectors, vectors - start), 0)
    x_ptr += begin + start.to(tl.int64) * UNIT
    c = tl.full([LANES], -float("inf"), tl.float32)
    d, s, seen = tl.zeros([LANES], tl.float32), tl.zeros([LANES], tl.float32), tl.zeros([LANES], tl.float32)
    every = tl.full([EACH, LANES, UNIT], 1, tl.int1)
    whole = length // (EACH * LANES) * (EACH * LANES)
    for done in range(0, whole, EACH * LANES):
        x = tl.load(x_ptr + done * UNIT + inside).to(tl.float32)
        c, d, s, seen = _join(c, d, s, seen, x, every, FUSED, SMOOTH)
    if whole < length:
        mask = tl.broadcast_to(whole + vector < length, (EACH, LANES, UNIT))
        x = tl.load(x_ptr + whole * UNIT + inside, mask=mask, other=-float("inf")).to(tl.float32)
        c, d, s, seen = _join(c, d, s, seen, x, mask, FUSED, SMOOTH)
    top = tl.maximum(tl.max(c, axis=0), _origin(tl.max(ends, axis=0), FUSED))
    start_of_all = _finite(top)
    exponent = _exponent(ends, start_of_all, FUSED)
    d = tl.sum(d * tl.exp2(_apart(c, start_of_all, FUSED)), axis=0) + tl.sum(tl.exp2(exponent), axis=0)
    if SMOOTH:
        here = left & (piece == 0)
        s = tl.sum(s + seen * _apart(_finite(c), start_of_all, FUSED), axis=0)
        s += tl.sum(tl.where(here, exponent, 0.0), axis=0)
        return top, d, s, tl.sum(seen, axis=0) + tl.sum(here.to(tl.float32), axis=0)
    else:
        return top, d, d, d


@triton.jit
def walk_kernel(
    losses_ptr, states_ptr, parts_ptr, x_ptr, targets_ptr, x_row_stride, n_cols, ignore, smoothing,
    UNIT: tl.constexpr, LANES: tl.constexpr, EACH: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr,
    FUSED: tl.constexpr,
):  # fmt: skip
    """As tile_kernel, for row program_id(0) of any length, of any alignment if x begins at a whole vector."""
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(targets_ptr + row)
    counted = target != ignore
    tl.device_assert((target >= 0) & (target < n_cols) | (target == ignore), "target is out of bounds")
    hit = tl.load(x_ptr + row * x_row_stride + target, mask=counted, other=0.0).to(tl.float32)
    first, most = row * x_row_stride, n_cols // UNIT + 1
    c, d, s, _ = _walk(x_ptr, first, 0, n_cols, most, UNIT, LANES, EACH, SMOOTH, FUSED)
    log_d = tl.log2(d)
    loss = tl.where(counted, _loss(c, log_d, s, hit, smoothing, n_cols, FUSED, SMOOTH), 0.0)
    tl.store(states_ptr + 2 * row, c)
    tl.store(states_ptr + 2 * row + 1, log_d)
    if REDUCED:
        tl.store(parts_ptr + row, loss)
        tl.store(parts_ptr + tl.num_programs(0) + row, counted.to(tl.float32))
    else:
        tl.store(losses_ptr + row, loss)


@triton.jit
def pieces_kernel(
    pieces_ptr, x_ptr, x_row_stride, n_cols, n_pieces, piece_vectors,
    UNIT: tl.constexpr, LANES: tl.constexpr, EACH: tl.constexpr, SMOOTH: tl.constexpr, FUSED: tl.constexpr,
):  # fmt: skip
    """(c, d) of piece program_id(0) of all, n_pieces a row, for few long rows: all c, then all d.

    SMOOTH: then all s, and the numbers of logits in them.
    """
    piece, all_pieces = tl.program_id(0), tl.num_programs(0)
    first = (piece // n_pieces).to(tl.int64) * x_row_stride
    piece_of_row = piece % n_pieces
    c, d, s, seen = _walk(x_ptr, first, piece_of_row, n_cols, piece_vectors, UNIT, LANES, EACH, SMOOTH, FUSED)
    tl.store(pieces_ptr + piece, c)
    tl.store(pieces_ptr + all_pieces + piece, d)
    if SMOOTH:
        tl.store(pieces_ptr + 2 * all_pieces + piece, s)
        tl.store(pieces_ptr + 3 * all_pieces + piece, seen)


@triton.jit
def merge_kernel(
    losses_ptr, states_ptr, parts_ptr, pieces_ptr, x_ptr, targets_ptr, x_row_stride, n_rows, n_cols, n_pieces, ignore,
    smoothing, ROWS: tl.constexpr, PIECES: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr,
    FUSED: tl.constexpr,
):  # fmt: skip
    """As tile_kernel, for ROWS rows of which the states of all pieces are known."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    there = rows < n_rows
    target = tl.load(targets_ptr + rows, mask=there, other=ignore)
    counted = there & (target != ignore)
    tl.device_assert((target >= 0) & (target < n_cols) | (target == ignore), "target is out of bounds")
    hit = tl.load(x_ptr + rows.to(tl.int64) * x_row_stride + target, mask=counted, other=0.0).to(tl.float32)
    pieces = tl.arange(0, PIECES)[None, :]
    mask = there[:, None] & (pieces < n_pieces)
    pieces_ptr += rows[:, None] * n_pieces + pieces
    all_pieces = n_rows * n_pieces
    cs = tl.load(pieces_ptr, mask=mask, other=-float("inf"))
    ds = tl.load(pieces_ptr + all_pieces, mask=mask, other=0.0)
    c = tl.max(cs, axis=1)
    start = _finite(c)[:, None]
    log_d = tl.log2(tl.sum(ds * tl.exp2(_apart(cs, start, FUSED)), axis=1))
    if SMOOTH:
        seen = tl.load(pieces_ptr + 3 * all_pieces, mask=mask, other=0.0)
        s = tl.load(pieces_ptr + 2 * all_pieces, mask=mask, other=0.0) + seen * _apart(_finite(cs), start, FUSED)
    else:
        s = ds
    loss = tl.where(counted, _loss(c, log_d, tl.sum(s, axis=1), hit, smoothing, n_cols, FUSED, SMOOTH), 0.0)
    _keep(losses_ptr, states_ptr, parts_ptr, rows, there, c, log_d, loss, counted, REDUCED)


@triton.jit
def reduce_kernel(
    loss_ptr, weight_ptr, parts_ptr, n_parts, BLOCK: tl.constexpr, MEAN: tl.constexpr, OVERLAP: tl.constexpr
):  # fmt: skip
    """The sum of all losses, or their mean, from n_parts sums and counts; and the weight of a row in it: 1 or 1/count.

    One program, so that the order of the sum is always the same.
    """
    if OVERLAP:  # this launch may begin while the one that makes the parts still runs
        tl.extra.cuda.gdc_wait()
    sums, counts = tl.zeros([BLOCK], tl.float32), tl.zeros([BLOCK], tl.int32)
    for begin in range(0, n_parts, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        sums += tl.load(parts_ptr + at, mask=at < n_parts, other=0.0)
        counts += tl.load(parts_ptr + n_parts + at, mask=at < n_parts, other=0.0).to(tl.int32)
    total = tl.sum(sums, axis=0)
    weight = 1.0
    if MEAN:
        count = tl.sum(counts, axis=0).to(tl.float32)
        total /= count
        weight /= count
    tl.store(loss_ptr, total)
    tl.store(weight_ptr, weight)


@triton.jit
def _gradient(x, hits, c, log_d, scale, smoothing, n_cols, FUSED: tl.constexpr, SMOOTH: tl.constexpr):
    """scale * (softmax(x) - what softmax should be), where hits is 1 at the target and 0 elsewhere."""
    p = tl.exp2(_exponent(x, c, FUSED) - log_d)
    if SMOOTH:
        return scale * ((p - smoothing / n_cols) - (1.0 - smoothing) * hits)
    else:
        return scale * (p - hits)


@triton.jit
def tile_gradient_kernel(
    dx_ptr, x_ptr, targets_ptr, states_ptr, g_ptr, weight_ptr, dx_units, x_units, n_rows, n_units, g_stride, ignore,
    smoothing, UNIT: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr,
    FUSED: tl.constexpr,
):  # fmt: skip
    """The gradient of ROWS rows. g_ptr: the gradient of each loss (g_stride 1), or of all (0).

    dx_units, x_units: from row to row, in units of UNIT logits. REDUCED: times the number at weight_ptr.
    """
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    there, n_cols = rows < n_rows, n_units * UNIT
    cols = tl.arange(0, BLOCK)[None, :]
    mask = there[:, None] & (cols < n_cols)
    x = tl.load(x_ptr + rows[:, None] * x_units * UNIT + cols, mask=mask, other=0.0).to(tl.float32)
    target = tl.load(targets_ptr + rows, mask=there, other=ignore)
    c = tl.load(states_ptr + 2 * rows, mask=there, other=0.0)[:, None]
    log_d = tl.load(states_ptr + 2 * rows + 1, mask=there, other=0.0)[:, None]
    scale = tl.load(g_ptr + rows * g_stride, mask=there, other=0.0).to(tl.float32)
    if REDUCED:
        scale *= tl.load(weight_ptr)
    scale = tl.where(target != ignore, scale, 0.0)[:, None]
    hits = (cols == target[:, None]).to(tl.float32)
    dx = _gradient(x, hits, c, log_d, scale, smoothing, n_cols, FUSED, SMOOTH)
    tl.store(dx_ptr + rows[:, None] * dx_units * UNIT + cols, dx, mask=mask)


@triton.jit
def piece_gradient_kernel(
    dx_ptr, x_ptr, targets_ptr, states_ptr, g_ptr, weight_ptr, dx_row_stride, x_row_stride, n_cols, n_pieces,
    piece_vectors, g_stride, ignore, smoothing,
    UNIT: tl.constexpr, VECTORS: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr, FUSED: tl.constexpr,
):  # fmt: skip
    """The gradient of piece program_id(0) of all, n_pieces a row, of piece_vectors vectors, at most VECTORS.

    Rows of x and dx have the same alignment; with UNIT = 1 they may have any.
    """
    piece, row = tl.program_id(0) % n_pieces, (tl.program_id(0) // n_pieces).to(tl.int64)
    first = row * x_row_stride
    begin, vectors, cols, left = cut(first, n_cols, UNIT)
    dx_begin = (row * dx_row_stride + UNIT - 1) // UNIT * UNIT
    before = (begin - first).to(tl.int32)
    left = left & (piece == 0)
    vector = piece * piece_vectors + tl.arange(0, VECTORS)[:, None]
    inside = vector * UNIT + tl.arange(0, UNIT)[None, :]
    whole = (vector < vectors) & (vector < (piece + 1) * piece_vectors)
    whole = tl.broadcast_to(whole, (VECTORS, UNIT))
    x = tl.load(x_ptr + begin + inside, mask=whole, other=0.0).to(tl.float32)
    ends = tl.load(x_ptr + first + cols, mask=left, other=0.0).to(tl.float32)
    target = tl.load(targets_ptr + row)
    c, log_d = tl.load(states_ptr + 2 * row), tl.load(states_ptr + 2 * row + 1)
    scale = tl.load(g_ptr + row * g_stride).to(tl.float32)
    if REDUCED:
        scale *= tl.load(weight_ptr)
    scale = tl.where(target != ignore, scale, 0.0)
    column = target.to(tl.int32) - before  # of the target, from the first whole vector
    dx = _gradient(x, (inside == column).to(tl.float32), c, log_d, scale, smoothing, n_cols, FUSED, SMOOTH)
    tl.store(dx_ptr + dx_begin + inside, dx, mask=whole)
    dx = _gradient(ends, (cols == target).to(tl.float32), c, log_d, scale, smoothing, n_cols, FUSED, SMOOTH)
    tl.store(dx_ptr + dx_begin - before + cols, dx, mask=left)


@triton.jit
def scale_kernel(y_ptr, x_ptr, g_ptr, n, BLOCK: tl.constexpr):
    """y = x times the number at g_ptr, in float32, rounded once: n numbers of any dtypes."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, x * tl.load(g_ptr).to(tl.float32), mask=at < n)
