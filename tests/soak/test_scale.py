"""A short soak is as hard as a long one."""

import pytest

from tests.soak.scale import Scale


@pytest.mark.parametrize("seconds", ["15", "40", "3600"])
def test_turns_a_second_do_not_depend_on_how_long_it_lasts(seconds: str):
    long, other = Scale.read({}), Scale.read({"PARLEY_SOAK_SECONDS": seconds})
    assert other.turns_a_second == pytest.approx(long.turns_a_second, rel=0.1)


def test_the_long_one_has_two_hundred_conversations_on_each_channel():
    assert Scale.read({}).conversations == 200


def test_a_platform_that_is_none_cannot_be_stuck():
    with pytest.raises(ValueError, match="PARLEY_SOAK_STUCK"):
        Scale.read({"PARLEY_SOAK_STUCK": "slack,smoke signals"})
