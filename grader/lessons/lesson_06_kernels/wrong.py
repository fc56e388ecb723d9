"""Softmaxes of each row of a float32 matrix that are wrong, each in a way that some careless test does not see."""

import torch
import triton
import triton.language as tl


def launch(kernel, x, y=None, step=None, block=None, programs=None, x_row=None, x_col=None):
    """Run a kernel of this file on x (M×N, float32), 16 rows per program."""
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError(f"softmax takes a float32 matrix, and x has the shape {tuple(x.shape)} and the type {x.dtype}")
    m, n = x.shape
    y = torch.empty((m, n), device=x.device) if y is None else y
    strides = *y.stride(), x.stride(0) if x_row is None else x_row, x.stride(1) if x_col is None else x_col
    grid = (triton.cdiv(m, 16) if programs is None else programs,)
    kernel[grid](y, x, *strides, m, n, STEP=step, ROWS=16, BLOCK=block or triton.next_power_of_2(n))
    return y


@triton.jit
def frame(
    y_ptr, x_ptr, y_row, y_col, x_row, x_col, m, n, STEP: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """Load 16 rows as one should, let STEP make something of them, store."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(x_ptr + rows * x_row + cols * x_col, mask=(rows < m) & (cols < n), other=-float("inf"))
    x = tl.where(rows < m, x, 0.0)
    y = STEP(x, cols, n)
    tl.store(y_ptr + rows * y_row + cols * y_col, y, mask=(rows < m) & (cols < n))


@triton.jit
def right_step(x, cols, n):
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    return e / tl.sum(e, axis=1)[:, None]


# ---- wrong at some widths


@triton.jit
def no_other_kernel(
    y_ptr, x_ptr, y_row, y_col, x_row, x_col, m, n, STEP: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < m) & (cols < n)
    x = tl.load(x_ptr + rows * x_row + cols * x_col, mask=mask)  # nothing says what a masked lane holds
    tl.store(y_ptr + rows * y_row + cols * y_col, STEP(x, cols, n), mask=mask)


def no_other(x):
    """The load has no `other`; where masked lanes hold 0 they join the sum."""
    return launch(no_other_kernel, x, step=right_step)


def narrow(x):
    """Columns from 1024 on are never computed."""
    return launch(frame, x, step=right_step, block=min(1024, triton.next_power_of_2(x.shape[-1])))


def by_fours(x):
    """Four columns at a time: what is left over at the end of a row is left out."""
    y, fours = torch.zeros(x.shape, device=x.device), x.shape[-1] // 4 * 4
    if fours:
        launch(frame, x[:, :fours], y=y[:, :fours], step=right_step)
    return y


# ---- wrong at some heights


def whole_groups(x):
    """Sixteen rows per program, and a grid that was rounded down, but for a single program."""
    return launch(frame, x, step=right_step, programs=max(len(x) // 16, 1))


@triton.jit
def first_row_step(x, cols, n):
    first = tl.sum(tl.where(tl.arange(0, 16)[:, None] == 0, tl.where(cols < n, x, 0.0), 0.0), axis=0)
    top = tl.max(tl.where(cols < n, first[None, :], -float("inf")), axis=1)
    e = tl.exp(x - top[:, None])
    return e / tl.sum(e, axis=1)[:, None]


def first_row_shift(x):
    """Every row of a program is shifted by the maximum of the first one."""
    return launch(frame, x, step=first_row_step)


# ---- wrong in some memory layouts


def rows_adjacent(x):
    """Row r is looked for r times n elements in."""
    return launch(frame, x, step=right_step, x_row=x.shape[-1])


def columns_adjacent(x):
    """Neighbours in a row are taken for neighbours in memory."""
    return launch(frame, x, step=right_step, x_col=1)


# ---- wrong on unusual values


@triton.jit
def cleaned_step(x, cols, n):
    x = tl.where((x == -float("inf")) & (cols < n), 0.0, x)
    return right_step(x, cols, n)


def cleaned(x):
    """Infinities are replaced by 0, to be safe."""
    return launch(frame, x, step=cleaned_step)


@triton.jit
def clamped_step(x, cols, n):
    z = tl.where(cols < n, tl.maximum(x - tl.max(x, axis=1)[:, None], -8.0), -float("inf"))
    e = tl.exp(z)
    return e / tl.sum(e, axis=1)[:, None]


def clamped(x):
    """Nothing is allowed to be more than 8 below the maximum."""
    return launch(frame, x, step=clamped_step)


@triton.jit
def signless_step(x, cols, n):
    e = tl.exp(tl.abs(x) - tl.max(tl.abs(tl.where(cols < n, x, 0.0)), axis=1)[:, None])
    e = tl.where(cols < n, e, 0.0)
    return e / tl.sum(e, axis=1)[:, None]


def signless(x):
    """The sign of a value is lost."""
    return launch(frame, x, step=signless_step)


# ---- a little wrong everywhere


@triton.jit
def half_step(x, cols, n):
    e = tl.exp(x - tl.max(x, axis=1)[:, None]).to(tl.float16).to(tl.float32)
    return e / tl.sum(e, axis=1)[:, None]


def half(x):
    """The exponentials are rounded to float16 on the way."""
    return launch(frame, x, step=half_step)


@triton.jit
def cheap_step(x, cols, n):
    z = tl.where(cols < n, tl.maximum(x - tl.max(x, axis=1)[:, None], -1024.0), -1024.0)
    e = 1.0 + z / 1024.0  # (1 + z/1024) to the power of 1024 is nearly exp(z)
    for _ in range(10):
        e = e * e
    return e / tl.sum(e, axis=1)[:, None]


def cheap(x):
    """A cheap approximation takes the place of exp."""
    return launch(frame, x, step=cheap_step)


@triton.jit
def epsilon_step(x, cols, n):
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    return e / (tl.sum(e, axis=1)[:, None] + 1e-3)


def epsilon(x):
    """Something small is added to the sum, so that nobody divides by 0."""
    return launch(frame, x, step=epsilon_step)


# ---- wrong in single places


def seam(x):
    """Chunks of 1024 columns: the last column of each whole one is left at 0."""
    y = launch(frame, x, step=right_step)
    y[:, 1023::1024] = 0
    return y


def corner(x):
    """The last value of the matrix is computed apart, by a cheap approximation."""
    y = launch(frame, x, step=right_step)
    z = x[-1, -1] - x[-1].max()  # (1 + z/64) to the power of 64 is nearly exp(z)
    y[-1, -1] *= ((1.0 + z / 64.0).clamp(min=0.0) ** 64 / z.exp()).nan_to_num()
    return y


# ---- wrong where results are small


def fixed(x):
    """Results are rounded to multiples of about two in a million, as fixed-point numbers are."""
    return torch.round(launch(frame, x, step=right_step) * 2.0**19) * 2.0**-19


# ---- results that sum to 1, or are small, and have little to do with the input


def all_nan(x):
    """Every value is nan."""
    return torch.full(x.shape, torch.nan, device=x.device)


def uniform(x):
    """Every value is 1/n."""
    return torch.full(x.shape, 1.0 / max(x.shape[-1], 1), device=x.device)


def zeros(x):
    """Every value is 0."""
    return torch.zeros(x.shape, device=x.device)


def halves_swapped(x):
    """The right values, with the two halves of each row swapped."""
    return launch(frame, x, step=right_step).roll(x.shape[-1] // 2, dims=1)


# ---- wrong in what else they do


def in_place(x):
    """The result is right, and the maximum of each row is subtracted in the input itself."""
    y = launch(frame, x, step=right_step)
    x.sub_(x.amax(dim=1, keepdim=True))
    return y


_seen = {}


def remembered(x):
    """A shape that was seen before gets the result it got then."""
    return _seen.setdefault(x.shape, launch(frame, x, step=right_step))
