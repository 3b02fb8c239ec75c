"""What people think of answers: kept once for each person and turn, and gone when they are."""

from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.questions import Click
from parley.core.privacy.retention import delete_old_feedback
from parley.core.state.feedback import FEEDBACK_PREFIX, feedback_of, feedback_prefix
from tests.kit.doubles.core import core


def press(option: str, who: str = "ann", turn: str = "turn-1") -> Click:
    place = Conversation("test", "chat")
    return Click(
        f"p:{option}:{who}", f"feedback:{turn}", option, User("test", who, who), place, private=False
    )


async def kept(parley, prefix: str = FEEDBACK_PREFIX) -> list[str]:
    return [document.body for document in await parley.journal.list(prefix, 100)]


async def test_the_last_choice_of_each_person_counts(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for each in (press("up"), press("up"), press("down"), press("down"), press("up", "bob")):
            assert await parley.clicks.submit(each) == "Thank you, noted."
        assert len(await kept(parley)) == 2
        (ann,) = await kept(parley, feedback_prefix("test:ann"))
        assert '"down"' in ann
        counts = parley.clicks._counts
        assert (counts.liked["test"], counts.disliked["test"]) == (2, 1)


@pytest.mark.parametrize("wrong", [press("sideways"), press("up", turn=""), press("up", turn="x" * 300)])
async def test_a_press_that_says_nothing_is_not_kept(tmp_path: Path, wrong: Click) -> None:
    assert feedback_of(wrong, 1.0) is None
    async with core(tmp_path) as parley:
        assert await parley.clicks.submit(wrong) != "Thank you, noted."
        assert await kept(parley) == []


async def test_what_is_old_goes(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await parley.clicks.submit(press("up"))
        assert await delete_old_feedback(parley.journal, 0.0) == 0
        assert await delete_old_feedback(parley.journal, 1e12) == 1
        assert await kept(parley) == []
