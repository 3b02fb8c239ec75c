"""/link and /unlink in chat: nothing moves before both accounts agreed to what they were shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from tests.kit.doubles.core import Core, core
from tests.unit.core.turns.test_turn_memory import answer

AT_WORK = {"sender": User("test", "bob", "Ann at work"), "conversation": Conversation("test", "other")}
UNKNOWN = "unknown, used or expired"


async def code_of(parley: Core, **who: object) -> str:
    """The code that `/link` gives."""
    return (await answer(parley, "/link", **who)).split("`/link ")[1].split("`")[0]


async def linked(parley: Core) -> str:
    """What Ann reads once both her accounts agreed."""
    await answer(parley, f"/link {await code_of(parley)}", **AT_WORK)
    await answer(parley, "/link confirm", **AT_WORK)
    await answer(parley, "/link")
    return await answer(parley, "/link confirm")


async def test_linked_accounts_are_one_person(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await answer(parley, "/memory add likes tea")
        await answer(parley, "/memory add codes in Rust", **AT_WORK)
        said = await linked(parley)
        assert "`test:ann`, `test:bob`" in said
        assert "Facts added: 1;" in said
        assert "likes tea" in await answer(parley, "/memory", **AT_WORK)
        assert "codes in Rust" in await answer(parley, "/memory")
        await answer(parley, "hello", **AT_WORK)
        assert (await parley.memory.until_turns(1))[0].person == "test:ann"


async def test_each_side_is_told_who_the_other_is_and_what_it_would_see(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await answer(parley, "/memory add my salary is 90000 euros", **AT_WORK)
        code = await code_of(parley)
        asked = await answer(parley, f"/link {code.lower()}", **AT_WORK)
        assert "given to `test:ann` (Ann)" in asked
        assert "facts: 1" in asked
        assert "salary" not in await answer(parley, "/memory")
        agreed = await answer(parley, "/link confirm", **AT_WORK)
        assert "Nothing has changed yet" in agreed
        assert "`test:ann`" in agreed
        assert "salary" not in await answer(parley, "/memory")
        assert "`test:bob` (Ann at work) used your code" in await answer(parley, "/link")
        assert "salary" not in await answer(parley, "/memory")
        assert "now one person" in await answer(parley, "/link confirm")
        assert "salary" in await answer(parley, "/memory")


@pytest.mark.parametrize("who", [{}, AT_WORK], ids=["who offered", "who typed"])
async def test_either_side_can_say_no(tmp_path: Path, who: dict[str, object]) -> None:
    async with core(tmp_path) as parley:
        code = await code_of(parley)
        await answer(parley, f"/link {code}", **AT_WORK)
        await answer(parley, "/link confirm", **AT_WORK)
        await answer(parley, "/link")
        assert "not linked" in await answer(parley, "/link cancel", **who)
        for side in ({}, AT_WORK):
            assert "There is nothing to confirm here" in await answer(parley, "/link confirm", **side)
        assert UNKNOWN in await answer(parley, f"/link {code}", **AT_WORK)
        assert "not linked to any other" in await answer(parley, "/unlink")


async def test_who_offered_cannot_agree_before_being_told_who_asks(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await answer(parley, f"/link {await code_of(parley)}", **AT_WORK)
        assert "There is nothing to confirm here" in await answer(parley, "/link confirm")
        await answer(parley, "/link confirm", **AT_WORK)
        assert "There is nothing to confirm here" in await answer(parley, "/link confirm")
        assert "used your code" in await answer(parley, "/link")
        assert "now one person" in await answer(parley, "/link confirm")


async def test_what_came_from_an_account_goes_with_it(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await answer(parley, "/memory add codes in Rust", **AT_WORK)
        await answer(parley, "/memory add likes tea")
        await linked(parley)
        assert "went with it (facts: 1)" in await answer(parley, "/unlink", **AT_WORK)
        shown = await answer(parley, "/memory", **AT_WORK)
        assert "codes in Rust" in shown
        assert "likes tea" not in shown
        shown = await answer(parley, "/memory")
        assert "likes tea" in shown
        assert "codes in Rust" not in shown
        assert "not linked" in await answer(parley, "/unlink", **AT_WORK)
        assert "There is nothing to confirm here" in await answer(parley, "/link confirm")


async def test_a_code_works_once(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        code = await code_of(parley)
        assert UNKNOWN in await answer(parley, f"/link {code}")
        assert "given to" in await answer(parley, f"/link {code}", **AT_WORK)
        assert UNKNOWN in await answer(parley, f"/link {code}", sender=User("test", "ann", "Eve"))


async def test_codes_cannot_be_guessed(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for _ in range(5):
            assert "unknown" in await answer(parley, "/link AAAAAAAA")
        code = await code_of(parley, sender=User("test", "bob", "Bob"))
        assert "tried too many codes" in await answer(parley, f"/link {code}")
