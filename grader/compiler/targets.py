"""GPUs by name, as Triton's compiler calls them: (backend, architecture, threads of a warp)."""

from __future__ import annotations

TARGETS: dict[str, tuple[str, int | str, int]] = {
    "T4": ("cuda", 75, 32),
    "A100": ("cuda", 80, 32),
    "H100": ("cuda", 90, 32),
    "B200": ("cuda", 100, 32),
    "MI300X": ("hip", "gfx942", 64),
    "RX 7900": ("hip", "gfx1100", 32),
}
