"""What stands in a chat already: said before the app listened, so that it heard no event of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.slack.api.serializers import escape_typed_text
from parley.simulator.slack.model import SlackMessage
from parley.simulator.slack.world import SlackWorld

_DELETED: JsonObject = {
    "user": "USLACKBOT",
    "text": "This message was deleted.",
    "subtype": "tombstone",
    "hidden": True,
}


class SlackPast:
    """Messages of the past; times are in Unix seconds. May be used from any thread."""

    def __init__(self, world: SlackWorld) -> None:
        self._world = world

    def say(self, chat: str, by: str, text: str, at: float, thread: str = "", /, **extra: Json) -> str:
        """Write a text, where `@handle` mentions somebody; returns the message's ts.

        What else Slack tells of it, such as `attachments`, `blocks` or `subtype`, is in `extra`.
        """
        with self._world.changed:
            ts = self._free_ts(chat, at)
            message = SlackMessage(ts, chat, by, float(ts), thread=thread)
            message.text, message.extra = escape_typed_text(self._world, text), dict(extra)
            self._keep(chat, [message])
            return ts

    def webhook(self, chat: str, name: str, at: float, thread: str = "", /, **extra: Json) -> str:
        """Post as an incoming webhook of old, which has a name of its own and no user; returns the ts."""
        with self._world.changed:
            bot = self._world.add_account(name, name.lower(), is_bot=True)
            more: JsonObject = {"subtype": "bot_message", "username": name, "user": None}
            return self.say(chat, bot.id, "", at, thread, **(more | extra))

    def fill(
        self, chat: str, by: Sequence[str], count: int, start: float, pause: float, thread: str = ""
    ) -> tuple[str, ...]:
        """Let people take turns to write "message N", one each `pause` seconds; returns all ts."""
        speakers = itertools.cycle(by)
        with self._world.changed:
            times = [f"{start + number * pause:.6f}" for number in range(count)]
            found = [SlackMessage(ts, chat, next(speakers), float(ts), thread=thread) for ts in times]
            for number, message in enumerate(found):
                message.text = f"message {number}"
            self._keep(chat, found)
            return tuple(times)

    def sell(self) -> None:
        """Make the app one that is sold outside the Marketplace."""
        with self._world.changed:
            self._world.for_sale = True

    def _free_ts(self, chat: str, at: float) -> str:
        taken = self._world.messages[chat]
        tries = (f"{at + step / 1_000_000:.6f}" for step in itertools.count())
        return next(ts for ts in tries if ts not in taken)

    def _keep(self, chat: str, messages: Sequence[SlackMessage]) -> None:
        everything = [*self._world.messages[chat].values(), *messages]
        everything.sort(key=lambda each: each.at)
        self._world.messages[chat] = {each.ts: each for each in everything}
        self._world.touch()


def tombstone(root: SlackMessage) -> SlackMessage:
    """Return what Slack leaves of a thread's root that was deleted."""
    left = SlackMessage(root.ts, root.chat, root.sender, root.at)
    left.extra = dict(_DELETED)
    return left
