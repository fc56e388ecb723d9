"""Families of inputs. Each family is here because a wrong answer passes all others.

A family takes m, n and a generator, and returns a float32 tensor of shape (m, n).
"""

from __future__ import annotations

import torch

from ..sentence import said


def sized(label: str, m: int, n: int, dtype: str = "") -> str:
    """The label of a case with the size of its matrix."""
    return said("{one}, {two}", one=label, two=f"{m}×{n} {dtype}".strip())


def generator(seed: int) -> torch.Generator:
    """A new random generator: with one for each case, no case depends on the cases before it."""
    return torch.Generator().manual_seed(seed)


def _step(g: torch.Generator, size: float) -> float:
    """A multiple of `size`, from 0 to 63 of them, for families whose values follow a pattern."""
    return size * int(torch.randint(64, (1,), generator=g))


def randn(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Standard normal values."""
    return torch.randn(m, n, generator=g)


def far_below_zero(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Values around -200: without a shift exp underflows to 0, and a pad of 0 becomes the maximum."""
    return randn(m, n, g) - 200


def large(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Values of 100 ± 30: without a shift exp overflows."""
    return 100 + 30 * randn(m, n, g)


def ascending(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Each value is larger than the one before it: the running maximum changes at every step."""
    return torch.linspace(-4, 4, n).expand(m, n) + torch.arange(m).unsqueeze(1) * 0.25 + _step(g, 1 / 16)


def descending(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The first value of a row is its maximum."""
    return ascending(m, n, g).flip(1)


def cliff(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The first half is around +200, the rest around -200: with another shift than the maximum exp leaves its range."""
    x = randn(m, n, g) - 200
    x[:, : (n + 1) // 2] += 400
    return x


def rising_cliff(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The first half is around -200, the rest around +200: with the first value as the shift exp overflows."""
    return cliff(m, n, g).flip(1)


def lowest(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """All values are -2.2e38 or a little less: a finite pad in masked lanes, such as -1e38, is the largest of a row.

    log2(e) times each of them is still finite, so a right answer that scales before it subtracts has the right numbers.
    """
    return torch.full((m, n), -2.2e38 * (1 + _step(g, 1 / 1024)))


def at_the_end(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Row 0 is -2.36e38, all others the lowest float32: any finite pad is as large. A column drawn by g is -inf.

    A single row is one of the others. log2(e) times any of these values is -inf.
    """
    x = torch.full((m, n), torch.finfo(torch.float32).min)
    x[: m - 1][:1] = -2.36e38
    x[:, int(torch.randint(n, (1,), generator=g))] = -torch.inf
    return x


def constant(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """All values of a row are equal: every output is 1/n."""
    return torch.full((m, n), 3.0 + _step(g, 1 / 16)) - torch.arange(m).unsqueeze(1)


def rows_apart(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Row r is around -150 · r: with one maximum for several rows, exp underflows in the lower ones."""
    return randn(m, n, g) - 150.0 * torch.arange(m).unsqueeze(1)


def down_and_up(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Rows that fall by 150 each and then rise again: with the maximum of a high row exp underflows in a lower one."""
    low = torch.minimum(torch.arange(m), torch.arange(m).flip(0)).unsqueeze(1)
    return randn(m, n, g) - 150.0 * low


def up_and_down(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Rises by 8 to the middle of a row, then falls: the running maximum changes in the first half alone."""
    rows = torch.arange(m).unsqueeze(1) * 0.25 + _step(g, 1 / 16)
    return 4 - torch.linspace(-8, 8, n).abs().expand(m, n) + rows


def one_minus_inf(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """One value of each row is -inf: its output is 0."""
    x = randn(m, n, g)
    x[:, n // 2] = -torch.inf
    return x


def leading_minus_inf(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The first half of each row is -inf: a walk along the row begins with tiles without a finite value.

    The other half of every second row is around -200, so 0 in place of -inf as the maximum so far does harm.
    """
    x = randn(m, n, g) - 200.0 * (torch.arange(m) % 2 == 0).unsqueeze(1)
    x[:, : n // 2] = -torch.inf
    return x


def outlier(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """One value of each row is 20 or more: its output is nearly 1."""
    x = randn(m, n, g)
    x[:, n // 3] = 20 + x[:, n // 3].abs()
    return x


def last_outliers(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """One of the last four values of each row is 200 above the rest, the last one in row 0, the one before it in row 1.

    A maximum of only some columns, threads or parts of a vector lacks one of them, and exp overflows.
    """
    x = randn(m, n, g)
    x[torch.arange(m), n - 1 - torch.arange(m) % 4] += 200
    return x


def trailing_minus_inf(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The last half of each row is -inf: a walk along the row meets tiles without a finite value after others."""
    return leading_minus_inf(m, n, g).flip(1)


def special(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """0, -0, inf, -inf and NaN among normal values: a copy that looks at values in place of columns leaves some out."""
    x = randn(m, n, g)
    values = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.nan])
    places = torch.arange(m * n).reshape(m, n)
    return torch.where(places % 2 == 0, x, values[places // 2 % len(values)])


def row_strided(x: torch.Tensor, gap: int = 3) -> torch.Tensor:
    """The same values as a view with `gap` elements between two rows: NaN, or 1 in a tensor of integers."""
    m, n = x.shape
    wide = torch.full((m, n + gap), torch.nan if x.is_floating_point() else 1, dtype=x.dtype)
    wide[:, :n] = x
    return wide[:, :n]


def column_strided(x: torch.Tensor) -> torch.Tensor:
    """The same values as a transposed view: two neighbours in a row are not neighbours in memory."""
    return x.t().contiguous().t()


def every_other_column(x: torch.Tensor) -> torch.Tensor:
    """The same values as a view whose columns are two elements apart, with NaN, or 1 among integers, between them."""
    m, n = x.shape
    wide = torch.full((m, 2 * n), torch.nan if x.is_floating_point() else 1, dtype=x.dtype)
    wide[:, ::2] = x
    return wide[:, ::2]


def apart_both_ways(x: torch.Tensor) -> torch.Tensor:
    """The same values as a view: rows as far apart as in a contiguous matrix, and columns farther apart."""
    m, n = x.shape
    wide = torch.full((n, m * n), torch.nan, dtype=x.dtype)
    wide[:, ::n] = x.t()
    return wide[:, ::n].t()


def expanded(x: torch.Tensor) -> torch.Tensor:
    """The first column of x in place of all others, as a view in which a row is one element of memory."""
    return x[:, :1].contiguous().expand(x.shape)
