"""`/memory team`: a chat's own facts, for all in it and nobody else; and `/memory edit | why | import`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.ports.memory.admin import FactChange
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.service import MemoryService
from parley.memory.storage.sql import SqlMemoryStore
from tests.kit.doubles.core import Core, core
from tests.kit.samples.memory_options import memory_options

BOB = User("test", "bob", "Bob")
ROOM, OTHER = Conversation("test", "room"), Conversation("test", "other")
TEAM = "team/test:room"


async def tell(parley: Core, text: str, **changes: object) -> str:
    """Return the answer to a message; in the room unless told otherwise."""
    before = len(parley.channel.finals)
    await parley.say(text, **({"conversation": ROOM, "private": False} | changes))
    return (await parley.channel.until_finals(before + 1))[before]


async def test_it_is_off_until_somebody_switches_it_on(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        assert "no memory of its own" in await tell(parley, "/memory team add The release is on Friday")
        assert parley.memory.held == {}
        assert "everybody here" in await tell(parley, "/memory team on")
        assert "Nothing yet" in await tell(parley, "/memory team")
        added = await tell(parley, "/memory team add The release is on Friday")
        assert "The release is on Friday (Ann" in added
        assert "no memory of its own" in await tell(parley, "/memory team", conversation=OTHER)
        assert "belongs to a group" in await tell(parley, "/memory team", private=True)


async def test_everybody_in_the_chat_sees_and_corrects_it(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await tell(parley, "/memory team on")
        await tell(parley, "/memory team add The release is on Friday")
        assert "Friday" in await tell(parley, "/memory 团队", sender=BOB)
        assert "Monday" in await tell(
            parley, "/memory team edit `fact_0` The release is on Monday", sender=BOB
        )
        assert "Monday" in await tell(parley, "/memory team search Monday")
        assert "Forgotten by this chat: 1" in await tell(parley, "/memory team forget fact_0", sender=BOB)
        assert "private" in await tell(parley, "/memory")


async def test_the_agent_knows_it_there_and_nowhere_else(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await tell(parley, "/memory team on")
        await tell(parley, "/memory team add The release is on Friday")
        await tell(parley, "when?")
        await tell(parley, "when?", conversation=OTHER)
        await tell(parley, "when?", private=True, conversation=Conversation("test", "dm"))
        await tell(parley, "/memory team off")
        await tell(parley, "when?")
        known = ["Friday" in request.memory for request in parley.agent.requests]
        assert known == [True, False, False, False]
        assert all("knows test:ann" in request.memory for request in parley.agent.requests)


async def test_a_topic_shares_the_memory_of_its_chat(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await tell(parley, "/memory team on")
        await tell(parley, "/memory team add The release is on Friday")
        await tell(parley, "when?", conversation=Conversation("test", "room", "7"))
        assert "Friday" in parley.agent.requests[0].memory


async def test_clearing_it_is_confirmed(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await tell(parley, "/memory team on")
        await tell(parley, "/memory team add The release is on Friday")
        assert "(1)" in await tell(parley, "/memory team clear")
        assert parley.memory.held[TEAM]
        assert "1 facts" in await tell(parley, "/memory team clear yes")
        assert TEAM not in parley.memory.held


@pytest.fixture
async def parley(tmp_path: Path):
    """A core with a real memory."""
    async with core(tmp_path) as made:
        options = memory_options()
        service = MemoryService(
            SqlMemoryStore(made.journal), made.journal, RuleExtractor(), options, made.services.clock
        )
        object.__setattr__(made.services, "memory", service)
        object.__setattr__(made.services, "memory_controls", service.controls)
        yield made


async def test_a_fact_is_edited_and_says_where_it_comes_from(parley: Core) -> None:
    added = await tell(parley, "/memory add I like tea", private=True, link="https://chat/1")
    fact_id = added.split("`")[1]
    assert "`fact_nothing`" not in added
    assert "I like coffee" in await tell(parley, f"/memory edit {fact_id} I like coffee", private=True)
    why = await tell(parley, f"/memory why {fact_id}", private=True)
    assert "I like coffee" in why
    assert "Written by yourself" in why
    assert "https://chat/1" in why
    assert "no fact “x”" in await tell(parley, "/memory why x", private=True)
    assert "no fact “x”" in await tell(parley, "/memory edit x I like coffee", private=True)


async def test_standing_instructions_are_shown_apart_from_other_facts(parley: Core) -> None:
    await tell(parley, "/memory add I like tea", private=True)
    await tell(parley, "/memory add Call me Captain", private=True)
    shown = await tell(parley, "/memory", private=True)
    wishes, _, others = shown.partition("How you want every answer")[2].partition("\n\n")
    assert "Call me Captain" in wishes
    assert "I like tea" in others
    assert "Captain" not in others


async def test_a_fact_that_still_holds_is_kept_as_certain(parley: Core) -> None:
    memory = parley.services.memory
    assert isinstance(memory, MemoryService)
    await memory.admin.create("test:ann", "Lives in Oslo", "context", 0.4)
    fact_id = (await parley.services.memory.overview("test:ann")).facts[0].id
    assert "(context, 1.00)" in await tell(parley, f"/memory keep `{fact_id}`", private=True)
    assert "no fact “x”" in await tell(parley, "/memory 保留 x", private=True)
    assert "keep ID" in await tell(parley, "/memory keep", private=True)


async def test_why_tells_what_the_agent_was_told(parley: Core) -> None:
    assert "do not know any more" in await tell(parley, "/memory why", private=True)
    await tell(parley, "/memory add I like green tea", private=True)
    await tell(parley, "what tea shall I buy?", private=True)
    assert "green tea" in parley.agent.requests[-1].memory
    why = await tell(parley, "/memory why", private=True)
    assert "I like green tea (about “tea”)" in why


async def test_the_first_answer_that_is_learned_from_says_so_once(parley: Core) -> None:
    answers = [
        await tell(parley, text, private=private)
        for text, private in (
            ("hello", True),
            ("I am a nurse", False),
            ("I am a nurse", True),
            ("I ski", True),
        )
    ]
    assert ["/memory off" in answer for answer in answers] == [False, False, True, False]


async def test_lines_behind_the_command_are_imported(parley: Core) -> None:
    told = await tell(parley, "/memory import - I like tea\n- I have a cat", private=True)
    assert "2 new" in told
    assert "I have a cat" in await tell(parley, "/memory search cat", private=True)
    assert "together with a file" in await tell(parley, "/memory import", private=True)
    refused = await tell(parley, '/memory import [{"content": 7}]', private=True)
    assert refused == "Nothing was imported: there is no text at [0]."


async def test_a_file_is_imported_and_does_not_stay(parley: Core) -> None:
    data = json.dumps({"results": [{"memory": "Likes tea"}]})
    file = Attachment(AttachmentKind.FILE, "mem0.json", "application/json", len(data), handle=data)
    assert "1 new" in await tell(parley, "/memory import", private=True, attachments=(file,))
    assert not list(parley.services.files.glob("import-*"))
    exported = await tell(parley, "/memory export mem0", private=True)
    assert "everything" in exported
    (sent,) = parley.channel.finals[-1].attachments
    text = await asyncio.to_thread(Path(sent.path).read_text, "utf-8")
    assert json.loads(text)["results"][0]["memory"] == "Likes tea"


async def test_more_wishes_about_every_answer_than_the_agent_is_told_are_said_to_be_too_many(
    parley: Core,
) -> None:
    """By the command, by the list, and below the answer to a message with one more."""

    async def private(text: str) -> str:
        return await tell(parley, text, private=True)

    styles = "tables lists headings bold italics emojis celsius examples markdown jargon humour jokes sarcasm"
    for style in f"{styles} greetings steps sentences paragraphs words citations headers".split():
        assert "limit" not in await private(f"/memory add Always use {style}")
    assert "limit" not in await private("/memory")
    assert "21 wishes" in await private("Always use metric units")
    assert "21 wishes" in await private("/memory add Always use metric units")
    shown = await private("/memory")
    assert "the 20 newest" in shown
    assert "tables" not in shown.partition("Learns")[0]
    await private("/memory forget citations")
    assert "limit" not in await private("/memory")


async def test_what_is_perhaps_over_says_so_and_anybody_keeps_it(parley: Core) -> None:
    await tell(parley, "/memory team on")
    fact_id = (await tell(parley, "/memory team add The release is on Friday")).split("`")[1]
    assert "perhaps over" not in await tell(parley, "/memory team")
    await parley.services.memory.admin.patch(TEAM, fact_id, FactChange(confidence=0.8))  # type: ignore[attr-defined]
    assert f"perhaps over; `/memory team keep {fact_id}`" in await tell(parley, "/memory team")
    assert "Kept as certain" in await tell(parley, f"/memory team keep `{fact_id}`", sender=BOB)
    assert "perhaps over" not in await tell(parley, "/memory team")
    assert "nothing about" in await tell(parley, "/memory team keep fact_none")
