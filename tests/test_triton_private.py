"""Triton's private names: resolved in one place, and a feature that cannot be hooked whole is not hooked at all."""

import json
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

from grader.interpreter.triton_private import _PATHS, NEEDED

# Each part of the probe changes Triton in a fork of its own, installs the hooks there, and tells what was replaced.
PROBE = """
import json, os, sys
os.environ["TRITON_INTERPRET"] = "1"
from triton.runtime import interpreter as stock
from grader import interpreter
from grader.interpreter import compat, triton_private

def places():
    owners = {path: triton_private._owner(stock, path) for path in triton_private._PATHS.values()}
    return {path: getattr(owner, attribute, None) for path, (owner, attribute) in owners.items()}

for feature, spoil in json.loads(sys.argv[1]):
    if not os.fork():
        exec(spoil)
        before = places()
        status = interpreter.install()[feature]
        changed = [path for path, value in places().items() if value is not before[path] and value != before[path]]
        print(json.dumps([spoil, status, changed]), flush=True)
        os._exit(0)
    os.wait()
"""
LACKING = [
    ("speed", "_patch_lang_tensor"), ("speed", "_patch_attr"), ("guard", "InterpreterBuilder.create_atomic_cas"),
    ("bf16", "ReduceScanOpInterface.apply"), ("batch", "ReduceScanOpInterface.to_tensor"),
]  # fmt: skip
HALF_WAY = "compat.hook_scalars = lambda private: private.no_such_name"


def without(path):
    owner, _, attribute = f"stock.{path}".rpartition(".")
    return f"delattr({owner}, {attribute!r})"


@pytest.fixture(scope="module")
def probed():
    """{change of Triton: (status of the feature, paths that were replaced)}."""
    wanted = [(feature, without(path)) for feature, path in LACKING] + [("speed", HALF_WAY)]
    environment = os.environ | {"FIVE_PASSES_WORKER": "1"}
    command = [sys.executable, "-c", PROBE, json.dumps(wanted)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-800:]
    return {spoil: (status, set(changed)) for spoil, status, changed in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("feature, path", LACKING)
def test_a_feature_that_lacks_a_name_is_left_out_whole_and_says_so(probed, feature, path):
    """Everything that only this feature replaces is as Triton made it."""
    status, changed = probed[without(path)]
    shared = {path for other, names in NEEDED.items() if other != feature for path in (_PATHS[n] for n in names)}

    assert f"off: this Triton's interpreter has no {path}" == status
    assert changed & ({_PATHS[name] for name in NEEDED[feature]} - shared) == set()


def test_a_hook_that_fails_half_way_takes_back_the_ones_before_it(probed):
    """What was replaced first is put back when a later hook does not fit."""
    status, changed = probed[HALF_WAY]

    assert re.match("off: this Triton's interpreter differs .*no_such_name", status)
    assert changed & {"_patch_lang", "_patch_attr", "_get_np_dtype", "tl.core.tensor.__init__"} == set()
    assert "GridExecutor.__call__" in changed  # the guard is on all the same


def test_nothing_outside_names_what_is_private_to_triton():
    """A new release of Triton is looked at in one file."""
    private = re.compile(
        r"triton\.(runtime|backends|compiler|_C)\b|\b_(patch_lang|patch_attr|implicit_cvt|get_np_dtype)\b"
    )
    files = [p for p in (ROOT / "grader").rglob("*.py") if p.name != "triton_private.py"]
    texts = {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in files}
    texts = {name: re.sub(r'(?s:""".*?""")|#.*', "", text) for name, text in texts.items()}

    assert {name: found[0] for name, text in texts.items() if (found := private.search(text))} == {}
