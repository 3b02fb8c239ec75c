"""Faults in who hears, who speaks and what is removed, on which the privacy of memories stands."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.address import User
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import Channel, Inbox
from parley.core.ports.journal import Journal
from parley.memory.past_turns.storage import PREFIX
from tests.contract.driver import Driver
from tests.contract.faults.fault import Around, Fault
from tests.contract.faults.questions import DeafToButtons
from tests.contract.harness.parley_process import Seed
from tests.contract.harness.unreliable_journal import UnreliableJournal
from tests.contract.promises.memory.tools import NUTS


class _TakesAllForPrivate(Around):
    """Takes every chat for one in which nobody else reads."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        await inbox.accept(replace(message, private=True))


class _TakesAllForGroups(Around):
    """Takes every chat for one of several people."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        await inbox.accept(replace(message, private=False, addressed=True))


class _TakesAllForOnePerson(Around):
    """Takes everybody for the one who wrote first."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        self._first: User | None = None

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        self._first = self._first or message.sender
        await inbox.accept(replace(message, sender=self._first))


class _ForgetsUnasked(Around):
    """Takes the wish that something be forgotten for the person's own command."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        text = f"/memory forget {NUTS}" if message.text == "forget that" else message.text
        await inbox.accept(replace(message, text=text))


class _KeepsPastTurns(UnreliableJournal):
    """Keeps past conversations for ever."""

    def __init__(self, inner: Journal) -> None:
        super().__init__(inner, lambda: None)

    async def delete(self, key: str) -> None:
        if not key.startswith(PREFIX):
            await super().delete(key)


FAULTS = (
    Fault(
        "show private facts in groups", "tools_reach_nothing_private_from_a_group", Seed(_TakesAllForPrivate)
    ),
    Fault("give all the memory of one person", "tools_reach_nobody_else", Seed(_TakesAllForOnePerson)),
    Fault("forget without the person", "a_tool_forgets_only_what_its_person_says_to", Seed(_ForgetsUnasked)),
    Fault("hear no press below an answer", "a_press_lets_a_tool_forget", Seed(DeafToButtons)),
    Fault("tell anybody what one person said", "past_talk_is_its_persons", Seed(_TakesAllForOnePerson)),
    Fault("keep past conversations", "an_erased_memory_leaves_nothing", Seed(journal=_KeepsPastTurns)),
    Fault("take groups for private chats", "a_team_remembers", Seed(_TakesAllForPrivate)),
    Fault("take private chats for groups", "a_private_chat_has_no_team", Seed(_TakesAllForGroups)),
)
