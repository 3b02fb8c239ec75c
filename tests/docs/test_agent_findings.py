"""docs/agent-servers.md has a row for each finding, with rows of the table and tests that exist."""

from __future__ import annotations

import ast
import re

import pytest

from tests.agents.rows import Row
from tests.agents.table import GRAPHS, ROWS
from tests.kit.checkout import ROOT

_, FINDINGS = (ROOT / "docs" / "agent-servers.md").read_text("utf-8").split("\n## Findings of an audit\n")
ASKED, REST = FINDINGS.split("\n### Defects\n")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", FINDINGS)))
DEFECTS = {"D2b", *(f"D{number}" for number in range(1, 10))}


@pytest.mark.parametrize(("file", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_test_that_a_finding_names_is_defined(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert name in {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_every_graph_that_is_asked_stands_in_the_findings() -> None:
    assert set(re.findall(r"`(\w+\.\w+)`", ASKED)) - {"additional_kwargs.files"} == GRAPHS


def test_every_defect_has_a_row_with_a_test() -> None:
    rows = [line.strip("| ").split(" | ") for line in REST.splitlines() if re.match(r"\| D\d", line)]
    assert {row[0] for row in rows} == DEFECTS
    assert [row for row in rows if "`tests/" not in row[-1]] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_a_server_cannot_do_is_expected_in_words(row: Row) -> None:
    assert row.wrong == {}
    assert all(turn.text or turn.error for turns in row.cannot.values() for turn in turns)
