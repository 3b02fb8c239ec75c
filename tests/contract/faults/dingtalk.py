"""Faults that lie in how the DingTalk channel itself is made."""

from __future__ import annotations

import logging
import re
from contextlib import suppress

from bridge.errors import ChannelError
from bridge.ports import Channel, ChannelServices, Checkpoint, Inbox, Reply
from bridge.types import ReplyTarget, StoredFile
from channels.dingtalk.api import Api, Place, Ticket
from channels.dingtalk.cards import Cards
from channels.dingtalk.channel import DingTalkChannel, create
from channels.dingtalk.replies import DingTalkReply
from tests.contract.drivers.dingtalk import DingTalkDriver
from tests.contract.faults.fault import Fault
from tests.contract.pace import eager


def _made_as(kind: type[DingTalkChannel]) -> type[DingTalkDriver]:
    """A driver whose channel is of this kind."""

    class Driver(DingTalkDriver):
        def make_channel(self, services: ChannelServices) -> Channel:
            made = create(self.config(), services)
            made.__class__ = kind
            return eager(made)

    return Driver


def _replying(kind: type[DingTalkReply]) -> type[DingTalkDriver]:
    """A driver whose channel makes replies of this kind."""

    class Replies(DingTalkChannel):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            made = super().open_reply(target, checkpoint)
            made.__class__ = kind
            return made

    return _made_as(Replies)


def _carded(kind: type[Cards]) -> type[DingTalkDriver]:
    """A driver whose channel makes cards of this kind."""

    class Carded(DingTalkChannel):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            assert self._cards is not None
            self._cards.__class__ = kind
            return super().open_reply(target, checkpoint)

    return _made_as(Carded)


class TearsWords(DingTalkReply):
    """Cuts at any place."""

    async def _finish_cards(
        self, cards: Cards, parts: tuple[str, ...], files: tuple[StoredFile, ...]
    ) -> None:
        whole = " ".join(parts)
        await super()._finish_cards(cards, tuple(re.findall(r"(?s).{1,3001}", whole)), files)


class SendsPartsBackwards(DingTalkReply):
    async def _finish_cards(
        self, cards: Cards, parts: tuple[str, ...], files: tuple[StoredFile, ...]
    ) -> None:
        await super()._finish_cards(cards, parts[::-1], files)


class MarksTheFirstPart(DingTalkReply):
    """Forgets in later parts that it was in the middle of code."""

    async def _finish_cards(
        self, cards: Cards, parts: tuple[str, ...], files: tuple[StoredFile, ...]
    ) -> None:
        bare = tuple(part.replace("```python\n", "").replace("```", "") for part in parts[1:])
        await super()._finish_cards(cards, (*parts[:1], *bare), files)


class StartsOver(DingTalkReply):
    """Names its cards anew and forgets how far it was."""

    def _track(self, index: int) -> str:
        return f"{super()._track(index)}-{id(self)}"


class StartsOverChannel(DingTalkChannel):
    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        async def forget(handle: str) -> None:
            return None

        made = super().open_reply(target, forget)
        made.__class__ = StartsOver
        return made


class SwallowsRefusals(Cards):
    """Logs what goes wrong, as the SDK does, and goes on."""

    async def write(self, track: str, text: str, *, final: bool = False) -> None:
        with suppress(ChannelError):
            await super().write(track, text, final=final)


class NeverCloses(Cards):
    """Leaves every card as one that is still growing."""

    async def write(self, track: str, text: str, *, final: bool = False) -> None:
        await super().write(track, text)


class SaysItPrivately(DingTalkChannel):
    """Answers to the asker what was asked in a group."""

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        assert self._cards is not None
        return DingTalkReply(self._api, self._cards, target, Place(True, target.asker.id), checkpoint)


class LogsTheTicket(Api):
    async def ticket(self, topics: tuple[str, ...]) -> Ticket:
        ticket = await super().ticket(topics)
        logging.getLogger("channels").info("endpoint is %s", ticket.url)
        return ticket


class TellsTickets(DingTalkChannel):
    async def listen(self, inbox: Inbox) -> None:
        self._api.__class__ = LogsTheTicket
        await super().listen(inbox)


FAULTS = (
    Fault("tear words", "parts_are_within_the_limit", driver=_replying(TearsWords)),
    Fault("send parts backwards", "a_huge_answer_arrives_whole", driver=_replying(SendsPartsBackwards)),
    Fault("forget code in later parts", "code_stays_code_in_every_part", driver=_replying(MarksTheFirstPart)),
    Fault("name cards anew after a crash", "crash_between_parts", driver=_made_as(StartsOverChannel)),
    Fault("swallow refusals", "server_errors_are_outlasted", driver=_carded(SwallowsRefusals)),
    Fault("never close a card", "heard_as_said", driver=_carded(NeverCloses)),
    Fault("answer a group in private", "grows_in_a_group_too", driver=_made_as(SaysItPrivately)),
    Fault("log the ticket", "secrets_stay_out_of_the_log", driver=_made_as(TellsTickets)),
)
