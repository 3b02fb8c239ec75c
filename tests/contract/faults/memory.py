"""Faults in who hears an answer, on which the privacy of memories stands."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.types import InboundMessage
from parley.core.ports.channel import Inbox
from tests.contract.faults.fault import Around, Fault
from tests.contract.harness.parley_process import Seed


class _TakesAllForPrivate(Around):
    """Takes every chat for one in which nobody else reads."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        await inbox.accept(replace(message, private=True))


class _TakesAllForGroups(Around):
    """Takes every chat for one of several people."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        await inbox.accept(replace(message, private=False, addressed=True))


FAULTS = (
    Fault("take groups for private chats", "a_team_remembers", Seed(_TakesAllForPrivate)),
    Fault("take private chats for groups", "a_private_chat_has_no_team", Seed(_TakesAllForGroups)),
)
