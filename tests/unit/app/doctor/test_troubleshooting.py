"""The page on symptoms has every finding that is seeded."""

from __future__ import annotations

from tests.kit.checkout import ROOT
from tests.unit.app.doctor.seeded import TABLE
from tests.unit.app.doctor.surroundings import SURROUNDINGS

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")


def test_every_seeded_finding_is_on_the_page() -> None:
    assert sorted({seeded.name for seeded in TABLE + SURROUNDINGS if f"`{seeded.name}`" not in PAGE}) == []
