"""Triton's private names: resolved in one place, and a feature that cannot be hooked whole is not hooked at all."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

from grader.interpreter.triton_private import _PATHS, NEEDED

PROBE = """
import os
os.environ["TRITON_INTERPRET"] = "1"
from triton.runtime import interpreter as stock
from grader.interpreter import triton_private

def places():
    found = {{}}
    for path in triton_private._PATHS.values():
        owner, attribute = triton_private._owner(stock, path)
        found[path] = getattr(owner, attribute, None)
    return found

{spoil}
before = places()
from grader import interpreter
print(interpreter.install()[{feature!r}])
changed = {{path for path, value in places().items() if value is not before[path] and value != before[path]}}
print(sorted(changed))
"""


def probe(spoil, feature):
    """(status of a feature, paths that were replaced) in a process whose Triton was changed first."""
    environment = os.environ | {"FIVE_PASSES_WORKER": "1"}
    code = PROBE.format(spoil=spoil, feature=feature)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-800:]
    status, changed = done.stdout.splitlines()
    return status, set(eval(changed))


@pytest.mark.parametrize("feature, path", [
    ("speed", "_patch_lang_tensor"), ("speed", "_patch_attr"), ("guard", "InterpreterBuilder.create_atomic_cas"),
    ("bf16", "ReduceScanOpInterface.apply"), ("batch", "ReduceScanOpInterface.to_tensor"),
])  # fmt: skip
def test_a_feature_that_lacks_a_name_is_left_out_whole_and_says_so(feature, path):
    """Everything that only this feature replaces is as Triton made it."""
    owner, _, attribute = f"stock.{path}".rpartition(".")
    status, changed = probe(f"delattr({owner}, {attribute!r})", feature)
    shared = {path for other, names in NEEDED.items() if other != feature for path in (_PATHS[n] for n in names)}

    assert f"off: this Triton's interpreter has no {path}" == status
    assert set() == changed & ({_PATHS[name] for name in NEEDED[feature]} - shared)


def test_a_hook_that_fails_half_way_takes_back_the_ones_before_it():
    """What was replaced first is put back when a later hook does not fit."""
    spoil = "from grader.interpreter import compat\ncompat.hook_scalars = lambda private: private.no_such_name"
    status, changed = probe(spoil, "speed")

    assert re.match("off: this Triton's interpreter differs .*no_such_name", status)
    assert set() == changed & {"_patch_lang", "_patch_attr", "_get_np_dtype", "tl.core.tensor.__init__"}


def test_nothing_outside_names_what_is_private_to_triton():
    """A new release of Triton is looked at in one file."""
    private = re.compile(
        r"triton\.(runtime|backends|compiler|_C)\b|\b_(patch_lang|patch_attr|implicit_cvt|get_np_dtype)\b"
    )
    files = [p for p in (ROOT / "grader").rglob("*.py") if p.name != "triton_private.py"]
    texts = {
        p.relative_to(ROOT).as_posix(): re.sub(r'""".*?"""|#.*', "", p.read_text(), flags=re.DOTALL) for p in files
    }

    assert {} == {name: found[0] for name, text in texts.items() if (found := private.search(text))}
