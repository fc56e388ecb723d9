"""Fonts for the words of a picture: an installed one that has their characters."""

from __future__ import annotations

import functools

# Fonts with Chinese, Japanese or Korean characters, as they come with Linux, macOS and Windows.
_FAMILIES = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN", "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei", "PingFang SC", "Hiragino Sans GB", "Heiti SC", "STHeiti", "Arial Unicode MS",
    "Microsoft YaHei", "SimHei", "SimSun", "Droid Sans Fallback", "Noto Sans CJK JP", "Noto Sans CJK KR",
    "Noto Sans CJK TC",
)  # fmt: skip


def family(text: str) -> list[str] | None:
    """The families that together have all characters of a text, the picture's own first; None if one is in no font."""
    import matplotlib

    own = [*matplotlib.rcParams["font.sans-serif"]][:1]
    missing = {ord(c) for c in text if not c.isspace()} - _characters(own[0])
    if not missing:
        return own
    return next(([*own, name] for name in _FAMILIES if missing <= _characters(name)), None)


@functools.cache
def _installed() -> None:
    """Let matplotlib know of fonts that were installed after it made its list."""
    from matplotlib import font_manager

    known = {each.fname for each in font_manager.fontManager.ttflist}
    for file in font_manager.findSystemFonts():
        if file not in known:
            try:
                font_manager.fontManager.addfont(file)
            except (OSError, RuntimeError):  # no font that it can read
                pass


@functools.cache
def _characters(name: str) -> frozenset[int]:
    """The characters of an installed font, none if it is not installed."""
    from matplotlib import font_manager, ft2font

    _installed()
    try:
        file = font_manager.findfont(font_manager.FontProperties(family=name), fallback_to_default=False)
    except ValueError:
        return frozenset()
    return frozenset(ft2font.FT2Font(file).get_charmap())
