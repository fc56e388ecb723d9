"""Cross-entropy of the rows of a matrix of logits: each logit read once, one exponential each.

A state of a row is (m, log2 d): its maximum m, and the sum d of exp(x - m). The loss is log d + m - x[target], and
the gradient, which needs nothing else of the row, is exp(x - m) / d - (column == target).
"""

from __future__ import annotations

import triton
import triton.language as tl

from .rows import LN_2, LOG2_E, cut


@triton.jit
def _shift(m):
    """What is subtracted from numbers whose maximum is m: not -inf, so that exp(-inf - m) is 0."""
    return tl.where(m == -float("inf"), 0.0, m)


@triton.jit
def _loss(m, log_d, s, hit, smoothing, n_cols, SMOOTH: tl.constexpr):
    """The loss of rows, from their states, the sums s of x - m, and the logits of their targets (hit)."""
    loss = log_d * LN_2 + (m - hit)
    if SMOOTH:
        loss = (1.0 - smoothing) * loss + smoothing * (log_d * LN_2 - s / n_cols)
    return loss


@triton.jit
def _rows(x_ptr, targets_ptr, rows, cols, x_units, n_rows, n_cols, ignore, UNIT: tl.constexpr):
    """(the logits of rows, their targets)"""
    there = rows < n_rows
    mask = there[:, None] & (cols < n_cols)
    x = tl.load(x_ptr + rows[:, None] * x_units * UNIT + cols, mask=mask, other=-float("inf"))
    return x, tl.load(targets_ptr + rows, mask=there, other=ignore)


@triton.jit
def tile_kernel(
    losses_ptr, states_ptr, parts_ptr, x_ptr, targets_ptr, x_units, n_rows, n_units, ignore, smoothing,
    UNIT: tl.constexpr, ROWS: tl.constexpr, TIMES: tl.constexpr, BLOCK: tl.constexpr, REDUCED: tl.constexpr,
    SMOOTH: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """The losses of TIMES times ROWS rows of n_units * UNIT logits, at most BLOCK, and their states (m, log2 d).

    REDUCED: the sum of these losses, and how many targets are not to be ignored, go to parts_ptr[program_id(0)] and
    behind all such sums; else each loss goes to losses_ptr. x_units: from row to row, in units of UNIT logits.
    """
    if OVERLAP:  # lets reduce_kernel start while these programs still run
        tl.extra.cuda.gdc_launch_dependents()
    n_cols = n_units * UNIT
    cols = tl.arange(0, BLOCK)[None, :]
    sums, counts = tl.zeros([ROWS], tl.float32), tl.zeros([ROWS], tl.float32)
    rows = tl.program_id(0).to(tl.int64) * (TIMES * ROWS) + tl.arange(0, ROWS)
    x, target = _rows(x_ptr, targets_ptr, rows, cols, x_units, n_rows, n_cols, ignore, UNIT)
    for turn in range(TIMES):
        there = rows < n_rows
        counted = there & (target != ignore)
        tl.device_assert((target >= 0) & (target < n_cols) | (target == ignore), "target is out of bounds")
        hit = tl.load(x_ptr + rows * x_units * UNIT + target, mask=counted, other=0.0).to(tl.float32)
        mask = there[:, None] & (cols < n_cols)
        raw, later = x, rows + ROWS
        if turn + 1 < TIMES:  # the load of the next rows begins before these are summed up
            x, target = _rows(x_ptr, targets_ptr, later, cols, x_units, n_rows, n_cols, ignore, UNIT)
        x_now = raw.to(tl.float32)
        m = tl.max(x_now, axis=1)
        shift = _shift(m)[:, None]
        d = tl.sum(tl.exp2((x_now - shift) * LOG2_E), axis=1)
        s = tl.sum(tl.where(mask, x_now - shift, 0.0), axis=1) if SMOOTH else d
        log_d = tl.log2(d)
        loss = tl.where(counted, _loss(m, log_d, s, hit, smoothing, n_cols, SMOOTH), 0.0)
        tl.store(states_ptr + 2 * rows, m, mask=there)
        tl.store(states_ptr + 2 * rows + 1, log_d, mask=there)
        if REDUCED:
            sums += loss
            counts += counted.to(tl.float32)
        else:
            tl.store(losses_ptr + rows, loss, mask=there)
        rows = later
    if REDUCED:
        tl.store(parts_ptr + tl.program_id(0), tl.sum(sums, axis=0))
        tl.store(parts_ptr + tl.num_programs(0) + tl.program_id(0), tl.sum(counts, axis=0))


@triton.jit
def _join(m, d, s, seen, x, mask, SMOOTH: tl.constexpr):
    """States of lanes, joined with a tile x (tiles × lanes × UNIT). seen: how many logits are in s."""
    new = tl.maximum(m, tl.max(tl.max(x, axis=2), axis=0))
    shift = _shift(new)
    away = x - shift[None, :, None]
    d = d * tl.exp2((m - shift) * LOG2_E) + tl.sum(tl.sum(tl.exp2(away * LOG2_E), axis=2), axis=0)
    if SMOOTH:
        s += seen * (_shift(m) - shift) + tl.sum(tl.sum(tl.where(mask, away, 0.0), axis=2), axis=0)
        seen += tl.sum(tl.sum(mask.to(tl.float32), axis=2), axis=0)
    return new, d, s, seen


@triton.jit
def _whole(vector, length, UNIT: tl.constexpr):
    """The mask of the elements of vectors below `length`."""
    return tl.broadcast_to(vector < length, (vector.shape[0], vector.shape[1], UNIT))


@triton.jit
def _walk(
    x_ptr, first, piece, n_cols, piece_vectors, UNIT: tl.constexpr, LANES: tl.constexpr, EACH: tl.constexpr,
    SMOOTH: tl.constexpr,
):  # fmt: skip
    """(m, d, s, logits) of a piece of the row that begins at element `first`, in tiles of EACH times LANES vectors.

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
    m = tl.full([LANES], -float("inf"), tl.float32)
    d, s, seen = tl.zeros([LANES], tl.float32), tl.zeros([LANES], tl.float32), tl.zeros([LANES], tl.float32)
    x = tl.load(x_ptr + inside, mask=_whole(vector, length, UNIT), other=-float("inf"))
    for done in range(0, length, EACH * LANES):
        # The load of the next tile begins before this one is summed up.
        at = done + EACH * LANES
        upcoming = tl.load(x_ptr + at * UNIT + inside, mask=_whole(at + vector, length, UNIT), other=-float("inf"))
        m, d, s, seen = _join(m, d, s, seen, x.to(tl.float32), _whole(done + vector, length, UNIT), SMOOTH)
        x = upcoming
    top = tl.maximum(tl.max(m, axis=0), tl.max(ends, axis=0))
    shift = _shift(top)
    away = ends - shift
    d = tl.sum(d * tl.exp2((m - shift) * LOG2_E), axis=0) + tl.sum(tl.exp2(away * LOG2_E), axis=0)
    if SMOOTH:
        here = left & (piece == 0)
        s = tl.sum(s + seen * (_shift(m) - shift), axis=0) + tl.sum(tl.where(here, away, 0.0), axis=0)
        return top, d, s, tl.sum(seen, axis=0) + tl.sum(here.to(tl.float32), axis=0)
    else:
        return top, d, d, d


@triton.jit
def walk_kernel(
    losses_ptr, states_ptr, parts_ptr, x_ptr, targets_ptr, x_row_stride, n_cols, ignore, smoothing,
    UNIT: tl.constexpr, LANES: tl.constexpr, EACH: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr,
    OVERLAP: tl.constexpr,
):  # fmt: skip
    """As tile_kernel, for row program_id(0) of any length, of any alignment if x begins at a whole vector."""
    if OVERLAP:
        tl.extra.cuda.gdc_launch_dependents()
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(targets_ptr + row)
    counted = target != ignore
    tl.device_assert((target >= 0) & (target < n_cols) | (target == ignore), "target is out of bounds")
    hit = tl.load(x_ptr + row * x_row_stride + target, mask=counted, other=0.0).to(tl.float32)
    m, d, s, _ = _walk(x_ptr, row * x_row_stride, 0, n_cols, n_cols // UNIT + 1, UNIT, LANES, EACH, SMOOTH)
    log_d = tl.log2(d)
    loss = tl.where(counted, _loss(m, log_d, s, hit, smoothing, n_cols, SMOOTH), 0.0)
    tl.store(states_ptr + 2 * row, m)
    tl.store(states_ptr + 2 * row + 1, log_d)
    if REDUCED:
        tl.store(parts_ptr + row, loss)
        tl.store(parts_ptr + tl.num_programs(0) + row, counted.to(tl.float32))
    else:
        tl.store(losses_ptr + row, loss)


@triton.jit
def pieces_kernel(
    pieces_ptr, x_ptr, x_row_stride, n_cols, n_pieces, piece_vectors,
    UNIT: tl.constexpr, LANES: tl.constexpr, EACH: tl.constexpr, SMOOTH: tl.constexpr,
):  # fmt: skip
    """(m, d) of piece program_id(0) of all, n_pieces a row, for few long rows: all m, then all d.

    SMOOTH: then all s, and the numbers of logits in them.
    """
    piece, all_pieces = tl.program_id(0), tl.num_programs(0)
    first = (piece // n_pieces).to(tl.int64) * x_row_stride
    m, d, s, seen = _walk(x_ptr, first, piece % n_pieces, n_cols, piece_vectors, UNIT, LANES, EACH, SMOOTH)
    tl.store(pieces_ptr + piece, m)
    tl.store(pieces_ptr + all_pieces + piece, d)
    if SMOOTH:
        tl.store(pieces_ptr + 2 * all_pieces + piece, s)
        tl.store(pieces_ptr + 3 * all_pieces + piece, seen)


@triton.jit
def merge_kernel(
    losses_ptr, states_ptr, parts_ptr, pieces_ptr, x_ptr, targets_ptr, x_row_stride, n_rows, n_cols, n_pieces, ignore,
    smoothing, ROWS: tl.constexpr, PIECES: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr,
    OVERLAP: tl.constexpr,
):  # fmt: skip
    """As tile_kernel, for ROWS rows of which the states of all pieces are known."""
    if OVERLAP:
        tl.extra.cuda.gdc_launch_dependents()
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
    ms = tl.load(pieces_ptr, mask=mask, other=-float("inf"))
    ds = tl.load(pieces_ptr + all_pieces, mask=mask, other=0.0)
    m = tl.max(ms, axis=1)
    shift = _shift(m)[:, None]
    log_d = tl.log2(tl.sum(ds * tl.exp2((ms - shift) * LOG2_E), axis=1))
    if SMOOTH:
        seen = tl.load(pieces_ptr + 3 * all_pieces, mask=mask, other=0.0)
        s = tl.load(pieces_ptr + 2 * all_pieces, mask=mask, other=0.0) + seen * (_shift(ms) - shift)
    else:
        s = ds
    loss = tl.where(counted, _loss(m, log_d, tl.sum(s, axis=1), hit, smoothing, n_cols, SMOOTH), 0.0)
    tl.store(states_ptr + 2 * rows, m, mask=there)
    tl.store(states_ptr + 2 * rows + 1, log_d, mask=there)
    if REDUCED:
        tl.store(parts_ptr + tl.program_id(0), tl.sum(loss, axis=0))
        tl.store(parts_ptr + tl.num_programs(0) + tl.program_id(0), tl.sum(counted.to(tl.float32), axis=0))
    else:
        tl.store(losses_ptr + rows, loss, mask=there)


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
def _gradient(x, hits, m, log_d, scale, smoothing, n_cols, SMOOTH: tl.constexpr):
    """scale * (softmax(x) - what softmax should be), where hits is 1 at the target and 0 elsewhere."""
    p = tl.exp2((x - m) * LOG2_E - log_d)
    if SMOOTH:
        return scale * ((p - smoothing / n_cols) - (1.0 - smoothing) * hits)
    else:
        return scale * (p - hits)


@triton.jit
def tile_gradient_kernel(
    dx_ptr, x_ptr, targets_ptr, states_ptr, g_ptr, weight_ptr, x_units, n_rows, n_units, g_stride, ignore, smoothing,
    UNIT: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr,
):  # fmt: skip
    """The gradient of ROWS rows, contiguous in dx. g_ptr: the gradient of each loss (g_stride 1), or of all (0).

    REDUCED: times the number at weight_ptr.
    """
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    there, n_cols = rows < n_rows, n_units * UNIT
    cols = tl.arange(0, BLOCK)[None, :]
    mask = there[:, None] & (cols < n_cols)
    x = tl.load(x_ptr + rows[:, None] * x_units * UNIT + cols, mask=mask, other=0.0).to(tl.float32)
    target = tl.load(targets_ptr + rows, mask=there, other=ignore)
    m = tl.load(states_ptr + 2 * rows, mask=there, other=0.0)[:, None]
    log_d = tl.load(states_ptr + 2 * rows + 1, mask=there, other=0.0)[:, None]
    scale = tl.load(g_ptr + rows * g_stride, mask=there, other=0.0).to(tl.float32)
    if REDUCED:
        scale *= tl.load(weight_ptr)
    scale = tl.where(target != ignore, scale, 0.0)[:, None]
    hits = (cols == target[:, None]).to(tl.float32)
    dx = _gradient(x, hits, m, log_d, scale, smoothing, n_cols, SMOOTH)
    tl.store(dx_ptr + rows[:, None] * n_units * UNIT + cols, dx, mask=mask)


@triton.jit
def piece_gradient_kernel(
    dx_ptr, x_ptr, targets_ptr, states_ptr, g_ptr, weight_ptr, x_row_stride, n_cols, n_pieces, piece_vectors, g_stride,
    ignore, smoothing, UNIT: tl.constexpr, VECTORS: tl.constexpr, REDUCED: tl.constexpr, SMOOTH: tl.constexpr,
):  # fmt: skip
    """The gradient of piece program_id(0) of all, n_pieces a row, of piece_vectors vectors, at most VECTORS.

    Rows of x and dx have the same alignment; with UNIT = 1 they may have any.
    """
    piece, row = tl.program_id(0) % n_pieces, (tl.program_id(0) // n_pieces).to(tl.int64)
    first = row * x_row_stride
    begin, vectors, cols, left = cut(first, n_cols, UNIT)
    dx_begin = (row * n_cols + UNIT - 1) // UNIT * UNIT
    before = (begin - first).to(tl.int32)
    left = left & (piece == 0)
    vector = piece * piece_vectors + tl.arange(0, VECTORS)[:, None]
    inside = vector * UNIT + tl.arange(0, UNIT)[None, :]
    whole = (vector < vectors) & (vector < (piece + 1) * piece_vectors)
    whole = tl.broadcast_to(whole, (VECTORS, UNIT))
    x = tl.load(x_ptr + begin + inside, mask=whole, other=0.0).to(tl.float32)
    ends = tl.load(x_ptr + first + cols, mask=left, other=0.0).to(tl.float32)
    target = tl.load(targets_ptr + row)
    m, log_d = tl.load(states_ptr + 2 * row), tl.load(states_ptr + 2 * row + 1)
    scale = tl.load(g_ptr + row * g_stride).to(tl.float32)
    if REDUCED:
        scale *= tl.load(weight_ptr)
    scale = tl.where(target != ignore, scale, 0.0)
    column = target.to(tl.int32) - before  # of the target, from the first whole vector
    dx = _gradient(x, (inside == column).to(tl.float32), m, log_d, scale, smoothing, n_cols, SMOOTH)
    tl.store(dx_ptr + dx_begin + inside, dx, mask=whole)
    dx = _gradient(ends, (cols == target).to(tl.float32), m, log_d, scale, smoothing, n_cols, SMOOTH)
    tl.store(dx_ptr + dx_begin - before + cols, dx, mask=left)
