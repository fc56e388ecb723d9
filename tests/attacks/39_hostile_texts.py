# files
"""Notebooks that take a reader minutes or gigabytes: by their JSON, by their cells, by the text in a cell."""

import json

WRONG = "def naive_softmax(x):\n    return x"


def book(*cells):
    """A notebook of these code cells."""
    return json.dumps({"cells": [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]}).encode()


def make(folder):
    """Write the files."""
    unknown = "[" + ", ".join(f"u{n}" for n in range(18_000)) + "]"
    nested = "a" + ".b" * 1_000
    written = {
        "unknown_names": book("a = 1\n" * 20_000 + f"def naive_softmax(x):\n    return {unknown}"),
        "marks": book("a" + "\u0301\u0316" * 60_000 + " = 1", WRONG),
        "marks_of_letters": book("a" + "\uff9e\u0334" * 60_000 + " = 1", WRONG),
        "name_of_letters": book("a" * 200_000 + " = 1", WRONG),
        "tiny_cells": book(*["a = 1"] * 30_000, WRONG),
        "empty_cells": book(*[""] * 100_000, WRONG),
        "source_of_lists": b'{"cells": [{"cell_type": "code", "source": [' + b"[]," * (20 << 20) + b'"x"]}]}',
        "dictionaries": b'{"cells": [' + b'{"a":1},' * (7 << 20) + b"{}]}",
        "list_in_code": book("a = [" + "[]," * 80_000 + "]", WRONG),
        "one_line": book("a = 1;" * 30_000, WRONG),
        "attributes": book(f"b = 1; a = {nested}", f"def naive_softmax(x):\n    return {nested}"),
        "more_attributes": book(WRONG + ".b" * 60_000),
        "sums": book(WRONG + "+1" * 60_000),
        "calls": book(WRONG + "()" * 60_000),
        "long_line": book("a = '" + "a" * (10 << 20) + "'", WRONG),
        "wide_characters": book(WRONG, "#" + "\U0001f600" * 60_000),
        "definitions": book("def naive_softmax(x): pass\n" * 8_000),
        "broken_cells": book(*["naive_softmax("] * 1_500),
        "long_name_in_a_message": book(f"def naive_softmax({'a' * 100_000}, {'a' * 100_000}): pass"),
    }
    for name, data in written.items():
        (folder / f"{name}.ipynb").write_bytes(data)
