"""No constant of a channel is above what its platform allows, as its documents say and not as we think."""

from __future__ import annotations

import pytest

from parley.simulator.kit.limits import load_limits
from tests.architecture.platform_limits import OURS, PLATFORMS, ROWS, constants, looks_like_a_limit

FOUND = {name: value for platform in PLATFORMS for name, value in constants(platform)}


def too_much(constant: str, value: float) -> bool:
    """Tell whether a constant is above its row."""
    return value > load_limits(constant.split("/", 1)[0])[ROWS[constant]].number


@pytest.mark.parametrize("constant", sorted(ROWS))
def test_no_constant_is_above_its_row(constant):
    assert constant in FOUND, "it is there no more: mend tests/architecture/platform_limits.py"
    row = load_limits(constant.split("/", 1)[0])[ROWS[constant]]
    assert not too_much(constant, FOUND[constant]), f"{constant} is above {row}"


def test_every_limit_is_a_platforms_or_ours():
    unknown = {name for name in FOUND if looks_like_a_limit(name)} - set(ROWS) - OURS
    assert unknown == set(), "name its row in tests/architecture/platform_limits.py, or say that it is ours"


def test_what_is_said_to_be_ours_is_there():
    assert set(FOUND) >= OURS
    assert not OURS & set(ROWS)


@pytest.mark.parametrize("constant", sorted(ROWS))
def test_one_more_than_the_row_would_be_seen(constant):
    row = load_limits(constant.split("/", 1)[0])[ROWS[constant]]
    assert too_much(constant, row.number + 1)
    assert not too_much(constant, row.number)
