"""The texts beside the README, the workflows and the versions agree with what they speak of."""

import json
import re

from conftest import ROOT

from grader import lessons
from grader.version import VERSION

BESIDE = sorted(ROOT.glob("*.md")) + sorted((ROOT / ".github").glob("*.md"))
DOCS = sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs" / "decisions").glob("*.md"))
TEXTS = BESIDE + DOCS + [ROOT / "site" / "index.md"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_all_name_one_version():
    """The newest entry of the changelog, the citation, and the grader."""
    assert VERSION == re.search(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)[1]
    assert VERSION == re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)[1]


def test_each_target_of_make_that_a_text_names_exists():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert "site" in targets
    for text in [*TEXTS, *WORKFLOWS, ROOT / ".ci" / "run"]:
        for name in re.findall(r"(?:`|^ *|run: )make ([a-z][\w-]*)", text.read_text(encoding="utf-8"), re.M):
            assert name in targets, (text.name, name)


def test_each_action_is_pinned_by_its_hash():
    used = [line for workflow in WORKFLOWS for line in workflow.read_text().splitlines() if "uses:" in line]
    assert used
    for line in used:
        assert re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_links_between_these_texts_lead_somewhere():
    for text in BESIDE + DOCS:
        said = re.sub(r"```.*?```|`[^`\n]*`", "code", text.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", said):
            assert (text.parent / link).exists(), (text.name, link)


def record(name):
    return json.loads((ROOT / "records" / name).read_text(encoding="utf-8"))


def test_records_measured_the_course_as_it_is():
    """Each exercise has the time of its check, and each student of the class handed in each lesson."""
    graded = record("class_of_200.json")["result"]

    assert {*record("check_times.json")["checks"]} == {*lessons.exercises()}
    assert graded["files"] == graded["students"] * len(lessons.OUTLINE)
