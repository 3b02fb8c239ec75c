"""The dashboard against the types that Grafana itself declares (`@grafana/schema`)."""

from __future__ import annotations

import json

import pytest

from parley.core.model.types import Json
from tests.kit.checkout import ROOT
from tests.vendors.schemas.typescript import TypedValue, wrong_values

pytestmark = pytest.mark.vendors

BOARD = ROOT / "deploy" / "grafana" / "parley.json"
_IMPORT = 'import type { Dashboard } from "@grafana/schema";'


def _wrong(board: dict[str, Json]) -> list[str]:
    return wrong_values("grafana", _IMPORT, [TypedValue(board, "Dashboard", "the dashboard")])


def test_grafana_declares_all_that_the_dashboard_has() -> None:
    assert _wrong(json.loads(BOARD.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"graphTooltip": 9}, "DashboardCursorSync"),
        ({"refresh": 30}, "string"),
        ({"panel": []}, "panel is not declared"),
        ({"panels": [{"type": "stat", "gridpos": {}}]}, "gridpos is not declared"),
    ],
)
def test_what_grafana_does_not_declare_is_found(changes: dict[str, Json], said: str) -> None:
    board: dict[str, Json] = json.loads(BOARD.read_text("utf-8"))
    (found,) = _wrong({**board, **changes})
    assert said in found
