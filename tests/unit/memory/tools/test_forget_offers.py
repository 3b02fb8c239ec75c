"""What an agent elsewhere wants forgotten is asked below the answer, with buttons where there are some."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parley.core.hitl.forget_offers import MOST_OFFERS
from parley.core.hitl.records import decode_question, question_document_key
from parley.core.model.errors import MemoryFailed
from parley.core.ports.memory.admin import FactChange
from tests.kit.samples.questions import BOB, click, keys, with_buttons
from tests.kit.waiting import until
from tests.unit.memory.tools.scene import Scene, scene

LISBON = "Lives in Lisbon"


async def contents(here: Scene) -> list[str]:
    return [fact.content for fact in (await here.memory.overview("test:ann")).facts]


async def asked(here: Scene) -> tuple[str, str]:
    """Let the agent ask to forget; returns the fact's id, and the key of the question."""
    await here.memory.add("test:ann", LISBON)
    (fact,) = (await here.memory.overview("test:ann")).facts
    told = await here.call("memory_delete", "Forget where I live", fact_id=fact.id)
    assert "Nothing is forgotten yet" in str(told["note"])
    await here.core.channel.until(lambda: bool(keys(here.core)))
    (key,) = keys(here.core)
    return fact.id, key


async def record_of(here: Scene, key: str) -> Any:  # noqa: ANN401 - the record
    return decode_question(await here.core.journal.get(question_document_key(key)))


async def decided(here: Scene, key: str) -> Any:  # noqa: ANN401 - the record
    """Return the question once it is open no more."""

    async def closed() -> bool:
        return not (await record_of(here, key)).open

    await until(closed, "the press is worked")
    return await record_of(here, key)


async def test_its_button_forgets_and_nothing_waits_for_it(tmp_path: Path) -> None:
    async with scene(tmp_path, channel=with_buttons()) as here:
        _, key = await asked(here)
        assert "/memory forget" not in "".join(final.text for final in here.core.channel.finals)
        assert LISBON in here.core.channel.finals[-1].text
        found = await here.call("memory_search", "What do you know?", query="Lisbon")  # talk goes on
        assert LISBON in str(found)
        assert await here.core.clicks.submit(click(key, "approve", sender=BOB)) != "Noted."
        assert await contents(here) == [LISBON]
        assert await here.core.clicks.submit(click(key, "approve")) == "Noted."
        await here.core.channel.until(lambda: bool(here.core.channel.settled))
        assert await contents(here) == []
        ((_, settled),) = here.core.channel.settled
        assert "✅ Ann" in settled.text


async def test_what_is_refused_or_says_something_else_by_now_stays(tmp_path: Path) -> None:
    async with scene(tmp_path, channel=with_buttons()) as here:
        _, key = await asked(here)
        await here.core.clicks.submit(click(key, "reject"))
        assert (await decided(here, key)).decision.option == "reject"
        assert await contents(here) == [LISBON]
    async with scene(tmp_path / "other", channel=with_buttons()) as here:
        fact, key = await asked(here)
        await here.memory.admin.patch("test:ann", fact, FactChange(content="Lives in Porto"))
        await here.core.clicks.submit(click(key, "approve"))
        assert (await decided(here, key)).dropped
        assert await contents(here) == ["Lives in Porto"]


async def test_where_memory_fails_the_question_stays_open_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene(tmp_path, channel=with_buttons()) as here:
        _, key = await asked(here)

        async def fails(person: str, words: str) -> tuple[()]:
            raise MemoryFailed("no disk")

        with monkeypatch.context() as broken:
            broken.setattr(here.memory, "forgettable", fails)
            await here.core.clicks.submit(click(key, "approve"))
            await here.core.channel.until(lambda: "not forgotten yet" in here.answer)
        assert (await record_of(here, key)).open
        await here.core.clicks.submit(click(key, "approve", number=1))
        assert (await decided(here, key)).decision.option == "approve"
        assert await contents(here) == []


async def test_of_many_the_first_are_asked_and_the_others_named_with_the_command(tmp_path: Path) -> None:
    async with scene(tmp_path, channel=with_buttons()) as here:
        for number in range(MOST_OFFERS + 2):
            await here.memory.add("test:ann", f"Owns the painting number {number}")
        facts = (await here.memory.overview("test:ann")).facts

        async def forget_all(token: str) -> None:
            for fact in facts:
                await here.tools.call(token, "memory_delete", {"fact_id": fact.id})

        await here.turn(forget_all, "forget them")
        assert here.core.channel.finals[0].text.count("/memory forget") == 2
        await here.core.channel.until(lambda: len(keys(here.core)) == MOST_OFFERS)
