# files
"""Files that are no notebooks, or hardly."""

import json
import os
import zipfile

CELL = {"cell_type": "code", "source": "def naive_softmax(x):\n    return x", "metadata": {}, "outputs": []}


def make(folder):
    """Write the files."""
    good = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]})
    written = {
        "empty": b"", "text": b"hello", "list": b"[1]", "deep": b"[" * 100_000 + b"]" * 100_000, "null": b"null",
        "deep_cells": b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "worksheets": json.dumps({"nbformat": 3, "worksheets": [{"cells": [CELL]}, 5, None]}).encode(),
        "version_99": good.replace('"nbformat": 4', '"nbformat": 99').encode(),
        "byte_order_mark": b"\xef\xbb\xbf" + good.encode(),
        "utf_16": good.encode("utf-16"),
        "nul": good.replace("return x", "return x\\u0000").encode(),
        "surrogate": good.replace("return x", "return '\\ud800'").encode(),
        "long_number": good.replace('"metadata"', '"n": ' + "9" * 5000 + ', "metadata"').encode(),
        "long_number_in_code": good.replace("return x", "return " + "9" * 5000).encode(),
        "twice": good.replace('"cells"', '"cells": [], "cells"').encode(),
        "nan": good.replace('"nbformat": 4', '"nbformat": NaN').encode(),
        "deep_code": good.replace("return x", "return " + "(" * 5000 + ")" * 5000).encode(),
        "long_code": good.replace("return x", "return " + "-" * 100_000 + "1").encode(),
        "odd_sources": json.dumps({"cells": [CELL | {"source": s} for s in (None, 5, {}, [1, None], "x")]}).encode(),
        "odd_cells": json.dumps({"cells": [None, 1, [], CELL, {"cell_type": []}]}).encode(),
    }  # fmt: skip
    for name, data in written.items():
        (folder / f"{name}.ipynb").write_bytes(data)
    (folder / "folder.ipynb").mkdir()
    (folder / "dangling.ipynb").symlink_to(folder / "nowhere")
    (folder / "loop.ipynb").symlink_to(folder / "loop.ipynb")
    (folder / "device.ipynb").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.ipynb")
    with open(folder / "large.ipynb", "wb") as f:
        f.truncate(200 << 20)
    (folder / "unreadable.ipynb").write_text(good)
    (folder / "unreadable.ipynb").chmod(0)
    with zipfile.ZipFile(folder / "really_a_zip.ipynb", "w") as z:
        z.writestr("a.ipynb", good)
