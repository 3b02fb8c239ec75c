"""Ann has lived here for a while, alone and among others: what her erasure has to find."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

from parley.core.commands.worker import REFUSAL_PREFIX
from parley.core.model.address import Conversation, User, account_key
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.errors import AgentError, AgentUnavailable
from parley.core.model.feedback import FEEDBACK_QUESTION, AnswerWithButtons
from parley.core.model.options import (
    ChannelOptions,
    ContextOptions,
    ContextScope,
    DecisionRules,
    QuestionOptions,
)
from parley.core.model.questions import Click
from parley.core.model.types import CompletedTurn, SessionSettings
from parley.core.ports.journal import Document
from parley.core.ports.memory.controls import NO_MEMORY_CONTROLS, MemoryControls
from parley.core.ports.memory.port import Memory, NullMemory
from parley.core.ports.store_admin import StoreAdmin
from parley.core.privacy.sources import (
    NO_THREAD_WORKSPACES,
    AuditOnErase,
    DataSources,
    PersonalDataStore,
    ThreadWorkspaces,
)
from parley.core.state.account_links import AccountLinks
from parley.core.state.conversations import ConversationRepository
from parley.core.state.feedback import note_answer
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.core.state.sent_messages import SentMessage, keep_sent
from parley.store.interface import Store
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.core import Core, ScriptedAgent, core_on, default_options
from tests.kit.samples.questions import MAIL, asking, with_buttons
from tests.kit.waiting import until

ANN = User("test", "ann-4711", "Annabel")
OTHER = User("test", "second-4711", "Annabel S.")
BOB = User("test", "bob", "Bob")
HOME, TEAM, FORUM, BOBS = (Conversation("test", name) for name in ("dm-4711", "team", "forum", "dm-bob"))
# Not the number alone: a time has it now and then.
TRACES = ("ann-4711", "second-4711", "dm-4711", "Annabel", "zebra")
"""What every word, name and id of Ann's has in it, and nobody else's."""

OPTIONS = default_options(
    channels={
        "test": ChannelOptions(
            SessionSettings("agent"),
            allowed_users=frozenset({ANN.id, OTHER.id, BOB.id}),
            burst_window=0.0,
            earlier=ContextOptions(ContextScope.THREAD),
        )
    },
    questions=QuestionOptions(DecisionRules(deciders=("anyone",))),
    feedback_destinations=("webhook",),
)


@dataclass
class ThreadShelf:
    """An agent server's threads by id, which may be away."""

    threads: dict[str, str]
    error: AgentError | None = None
    deleted: list[str] = field(default_factory=list)

    async def copy(self, thread: str) -> str:
        self._look()
        return self.threads.get(thread, "")

    async def forget(self, thread: str) -> bool:
        self._look()
        self.deleted.append(thread)
        return self.threads.pop(thread, None) is not None

    def _look(self) -> None:
        if self.error is not None:
            raise self.error


AWAY = AgentUnavailable("The agent server is away.")


async def live(folder: Path) -> dict[str, str]:
    """Let everything happen, and stop; returns the threads that the agent server has then."""
    async with SqliteStore.open(folder / "parley.db") as journal:
        return await live_on(journal, folder)


async def live_on(journal: Store, folder: Path) -> dict[str, str]:
    """The same on a store that is open."""
    agent = ScriptedAgent(asking(MAIL))
    async with core_on(journal, folder, agent, with_buttons(), OPTIONS) as parley:
        await _alone(parley)
        await _among_others(parley)
        await _quotable(parley)
        await _known(parley)
        return {request.thread: f'"{request.text} zebra"' for request in agent.requests}


async def _alone(parley: Core) -> None:
    picture = Attachment(AttachmentKind.IMAGE, "zebra.png", "image/png", 5, "zebra")
    say, finals = parley.say, parley.channel.until_finals
    await say("a zebra", conversation=HOME, sender=ANN, attachments=(picture,))
    await finals(1)
    await say("/new", conversation=HOME, sender=ANN)
    await finals(2)
    await say("ask for a zebra", conversation=HOME, sender=ANN)
    await finals(4)


async def _among_others(parley: Core) -> None:
    say, finals = parley.say, parley.channel.until_finals
    await say("zebras first", conversation=TEAM, sender=ANN, private=False)
    await finals(5)
    await say("zebras are not for bots", conversation=TEAM, sender=ANN, private=False, addressed=False)
    await say("good morning", conversation=TEAM, sender=BOB, private=False)
    await finals(6)
    await say("ask for a mail", conversation=FORUM, sender=BOB, private=False)
    await finals(8)
    await say("a zebra says yes", conversation=FORUM, sender=OTHER, private=False)
    await finals(9)
    await say("my own", conversation=BOBS, sender=BOB)
    await finals(10)


async def _quotable(parley: Core) -> None:
    """What is kept of answers, for people who quote them."""
    for place, asker, text in (
        (HOME, ANN, "a zebra has stripes"),
        (TEAM, ANN, "so do zebras"),
        (TEAM, BOB, "good morning to you"),
    ):
        await keep_sent(parley.journal, place, SentMessage((f"key-{text}",), time.time(), text, asker))


async def _known(parley: Core) -> None:
    """What Parley notes of people; one letter to memory is dead, and one turn waits to be learned from."""
    people, journal = parley.services.people, parley.journal
    links = AccountLinks(people, journal, time.time)
    assert await links.may_try(OTHER)
    assert await links.type(OTHER, await links.offer(ANN))
    assert await links.agree(OTHER)
    assert await links.show(ANN)
    assert await links.link(ANN)
    await people.set_language(ANN, "zh")
    await parley.services.pairing.ask(OTHER)
    await journal.set(Document(f"{REFUSAL_PREFIX}test:{OTHER.id}/refused", str(time.time()), 0))
    await note_answer(
        journal, "t1", AnswerWithButtons("run", "thread", HOME.key, account_key(ANN), time.time())
    )
    pressed = Click("p1", f"{FEEDBACK_QUESTION}t1", "down", ANN, HOME, True, text="a zebra has four legs")
    await parley.clicks.submit(pressed)
    lane = account_key(ANN)
    await until(lambda: parley.nothing_waits("feedback/test", lane), "what Ann thinks of an answer is kept")


def sources(
    archive: StoreAdmin,
    folder: Path,
    conversations: ConversationRepository,
    *,
    threads: ThreadShelf,
    memory: Memory | None = None,
    audit: AuditOnErase = AuditOnErase.ANONYMISE,
    channels: Sequence[PersonalDataStore] = (),
    patience: float = 0.0,
    told: tuple[str, ...] = (),
    memory_controls: MemoryControls = NO_MEMORY_CONTROLS,
    thread_files: ThreadWorkspaces = NO_THREAD_WORKSPACES,
) -> DataSources:
    """Everything that the desk asks, over one store."""
    return DataSources(
        archive=archive,
        memory=memory or NullMemory(),
        people=PersonRepository(archive, time.time),
        pairing=Pairing(archive, time.time),
        conversations=conversations,
        threads=threads,
        channels=lambda: channels,
        files=folder / "files",
        audit=audit,
        zone=UTC,
        clock=time.time,
        patience=patience,
        told=told,
        memory_controls=memory_controls,
        thread_files=thread_files,
    )


def rows(folder: Path) -> list[str]:
    """Every row of the store, as text."""
    with closing(sqlite3.connect(folder / "parley.db")) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        return [f"{table}: {row}" for table in tables for row in connection.execute(f"SELECT * FROM {table}")]


def traces(folder: Path) -> list[str]:
    """Rows and files that have anything of Ann's."""
    files = [path for path in (folder / "files").rglob("*") if path.is_file()]
    left = [f"{path} {path.read_bytes()!r}" for path in files]
    return [line for line in rows(folder) + left if any(trace in line for trace in TRACES)]


def a_turn(words: str, person: str = "test:ann-4711") -> CompletedTurn:
    return CompletedTurn(
        "t1", person, ANN, HOME, "thread", "agent", "en", words, "Noted.", time.time(), private=True
    )
