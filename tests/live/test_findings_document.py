"""docs/live.md has a row for each finding, and the tests that its rows name exist."""

import ast
import re

import pytest

from tests.kit.checkout import ROOT

TEXT = (ROOT / "docs" / "live.md").read_text("utf-8")
_, FINDINGS = TEXT.split("\n## Findings of an audit\n")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in FINDINGS.splitlines()
    if line.startswith("| ") and not line.startswith(("| finding ", "| | finding "))
]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", FINDINGS)))
IDS = {*(f"A{n}" for n in range(1, 10)), *(f"D{n}" for n in range(1, 17)), *(f"F{n}" for n in range(1, 8))}
FEATURES = {*(f"{mark}{n}" for mark in "ST" for n in range(1, 8)), *(f"C{n}" for n in range(1, 15))}
UNTRUTHS = {"Slack": 12, "Telegram": 4, "Feishu and Lark": 7, "DingTalk": 12}


@pytest.mark.parametrize(("file", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_test_that_a_row_names_is_defined(file, name):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert name in defined


def test_every_finding_has_a_row():
    assert {row[0] for row in ROWS if re.fullmatch(r"[ADF]\d+", row[0])} == IDS


def test_every_native_feature_has_one_row():
    named = [row[0] for row in ROWS if re.fullmatch(r"[STC]\d+", row[0])]
    assert sorted(named) == sorted(FEATURES)


@pytest.mark.parametrize(("platform", "count"), UNTRUTHS.items())
def test_every_untruth_of_a_simulator_has_a_row(platform, count):
    section = FINDINGS.split(f"### {platform}: untruths of the simulator\n")[1].split("\n### ")[0]
    assert len([line for line in section.splitlines() if line.startswith("| ")]) - 1 == count


def test_a_row_without_a_test_says_that_it_is_open_or_left_out():
    assert len(ROWS) > 50
    untested = [row for row in ROWS if "`tests/" not in " ".join(row)]
    said = ("open", "left out", "no witness")
    assert [row for row in untested if not any(word in row[1] for word in said)] == []
