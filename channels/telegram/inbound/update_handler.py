"""From a raw update to the inbox, whether it was polled for or posted to us."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from telegram import Update

from parley.channels.kit.fields import MALFORMED
from parley.channels.telegram.inbound.group_welcome import GroupWelcome
from parley.channels.telegram.inbound.membership import JoinedGroup
from parley.channels.telegram.inbound.update_parser import GroupMigrated, TelegramBotIdentity, parse_update
from parley.channels.telegram.inline_keyboard import ButtonOptions, CallbackPress
from parley.channels.telegram.supergroup_migration import SupergroupMigrations
from parley.core.model.address import Conversation
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, Json
from parley.core.ports.channel import Inbox
from parley.core.ports.no_core import no_rules

log = logging.getLogger(__name__)

# The SDK makes local times of numbers, which the platform may refuse.
_MALFORMED = (*MALFORMED, OSError)


@dataclass(frozen=True, slots=True)
class TelegramInboundContext:
    """Who listens: the core's inbox, and the bot that is spoken to."""

    inbox: Inbox
    me: TelegramBotIdentity


@dataclass(frozen=True, slots=True)
class UnreadableUpdate:
    """An update that makes no sense, and is skipped."""


class UpdateHandler:
    """Hands over what updates say; `tell` answers who pressed a button (their query, and the text)."""

    def __init__(
        self,
        moves: SupergroupMigrations,
        choices: ButtonOptions,
        tell: Callable[[str, str], None],
        welcome: GroupWelcome,
        clock: Callable[[], float] = time.time,
        rules: Callable[[Conversation], ChannelOptions] = no_rules,
    ) -> None:
        self._moves = moves
        self._choices = choices
        self._tell = tell
        self._welcome = welcome
        self._clock = clock
        self._rules = rules

    async def take(self, raw: Json, listener: TelegramInboundContext) -> bool:
        """Return when all that the update says is durable; False when it says nothing that can be read.

        Raises StoreUnavailable.
        """
        match parse_or_skip(raw, listener.me, self._clock(), self._rules):
            case InboundMessage() as message:
                await listener.inbox.accept(await self._moves.with_current_chat(message))
            case CallbackPress() as press:
                await self._decide(press, listener.inbox)
            case GroupMigrated() as move:
                await self._moves.store_migration(move.old, move.new)
            case JoinedGroup() as joined:
                await self._welcome.greet(joined, listener.me.username)
            case UnreadableUpdate():
                return False
        return True

    async def _decide(self, press: CallbackPress, inbox: Inbox) -> None:
        click = Click(
            press.query,
            press.question,
            await self._choices.option(press),
            press.sender,
            await self._moves.current_conversation(press.conversation, private=press.private),
            press.private,
        )
        self._tell(press.query, await inbox.decide(click))


def parse_or_skip(
    raw: Json,
    me: TelegramBotIdentity,
    now: float,
    rules: Callable[[Conversation], ChannelOptions] = no_rules,
) -> InboundMessage | CallbackPress | GroupMigrated | JoinedGroup | UnreadableUpdate | None:
    """Return what an update says; rubbish is named in the log and skipped, or it would come for ever."""
    try:
        if not isinstance(raw, dict):
            raise TypeError("not an object")
        update = Update.de_json(dict(raw), None)
        return parse_update(update, me, now, rules)
    except _MALFORMED as error:
        kinds = ", ".join(str(key) for key in raw if key != "update_id") if isinstance(raw, dict) else "?"
        log.warning(
            "telegram: update %s (%.100s) cannot be read and is skipped: %s: %.200s",
            update_id_of(raw),
            kinds,
            type(error).__name__,
            error,
        )
        return UnreadableUpdate()


def update_id_of(raw: Json) -> int:
    """Return an update's number, 0 for one that has none."""
    number = raw.get("update_id") if isinstance(raw, dict) else None
    return number if isinstance(number, int) else 0
