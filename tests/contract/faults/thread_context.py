"""Faults in what is brought of the talk before a mention, whether it is heard or read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from parley.core.model.address import User
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import Channel, Inbox
from tests.contract.driver import Driver
from tests.contract.faults.fault import Around, Fault
from tests.contract.harness.parley_process import Seed


class _Garbled(Around):
    """Changes what others say among themselves, in both ways in which it may come."""

    def __init__(
        self,
        inner: Channel,
        driver: Driver,
        heard: Callable[[InboundMessage], InboundMessage],
        read: Callable[[EarlierMessage], EarlierMessage],
    ) -> None:
        super().__init__(inner, driver)
        self._heard = heard
        self._read = read

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        await inbox.accept(message if message.addressed else self._heard(message))

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        return [self._read(each) for each in await super().earlier_messages(request)]


class _KnowsOnePerson(Around):
    """Takes everybody for the person whom it heard first."""

    first: User | None = None

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        self.first = self.first or message.sender
        await inbox.accept(replace(message, sender=self.first))

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        read = await super().earlier_messages(request)
        return [replace(each, sender=self.first or each.sender) for each in read]


class _AsksTwice(Around):
    """Reads what was said, and reads it again."""

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        await super().earlier_messages(request)
        return await super().earlier_messages(request)


def _garbling(
    name: str,
    breaks: str,
    heard: Callable[[InboundMessage], InboundMessage],
    read: Callable[[EarlierMessage], EarlierMessage],
) -> Fault:
    return Fault(name, breaks, Seed(lambda channel, driver: _Garbled(channel, driver, heard, read)))


def _unheard(message: InboundMessage) -> InboundMessage:
    return replace(message, text="", attachments=())


def _unread(message: EarlierMessage) -> EarlierMessage:
    return replace(message, text="", files=())


_NOBODY = User("test", "nobody", "Ann")

FAULTS = (
    Fault("read the talk twice", "a_long_talk_costs_two_requests", Seed(_AsksTwice)),
    Fault("take strangers for acquaintances", "the_talk_is_of_those_who_may_talk", Seed(_KnowsOnePerson)),
    _garbling(
        "bring no words of apps",
        "the_talk_has_the_attachments_of_apps",
        lambda message: message,
        lambda message: replace(message, text="") if message.bot else message,
    ),
    _garbling("bring nothing", "a_mention_brings_the_talk", _unheard, _unread),
    _garbling("bring nothing after a crash", "the_talk_survives_a_crash", _unheard, _unread),
    _garbling(
        "bring words only",
        "the_talk_lists_files",
        lambda message: replace(message, attachments=()),
        lambda message: replace(message, files=()),
    ),
    _garbling(
        "take everybody for one",
        "earlier_words_stay_their_speakers",
        lambda message: replace(message, sender=_NOBODY),
        lambda message: replace(message, sender=_NOBODY),
    ),
)
