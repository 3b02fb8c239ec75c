"""What the section `memory` says reaches memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.app.composition.memory import _options
from parley.app.settings.load import read_settings


@pytest.mark.parametrize(("text", "people"), [("{}", 16), ("{max_concurrency: 3}", 3)])
def test_the_people_learned_from_at_the_same_time_are_configured(
    tmp_path: Path, text: str, people: int
) -> None:
    loaded = read_settings(f"memory: {text}", "config.yaml", {}, tmp_path)
    assert _options(loaded).max_concurrency == people
