"""What stands in a chat already: said before the app listened, so that it heard no event of it."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Sequence

from parley.simulator.feishu.model import FeishuAccount, FeishuMessage
from parley.simulator.feishu.people import SimulatedFeishuPeople
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import JsonObject


class FeishuPast:
    """Messages of the past; times are in Unix seconds. May be used from any thread."""

    def __init__(self, world: FeishuWorld, people: SimulatedFeishuPeople) -> None:
        self._world, self._people = world, people

    def say(self, chat: str, by: str, text: str, at: float, reply_to: str = "") -> str:
        """Write a text, in the topic of `reply_to` where that is given; returns the message's id."""
        return self.post(chat, by, "text", {"text": text}, at, reply_to)

    def post(self, chat: str, by: str, kind: str, content: JsonObject, at: float, reply_to: str = "") -> str:
        """Post a message of any kind; returns its id."""
        with self._world.changed:
            message = self._place(chat, by, kind, content, at)
            answered = self._world.messages[reply_to] if reply_to else None
            self._world.place(message, answered, in_thread=answered is not None)
            self._world.touch()
            return message.id

    def fill(
        self, chat: str, by: Sequence[str], count: int, start: float, pause: float, reply_to: str = ""
    ) -> tuple[str, ...]:
        """Let people take turns to write "message N", one each `pause` seconds; returns all ids."""
        speakers = itertools.cycle(by)
        with self._world.changed:
            return tuple(
                self.say(chat, next(speakers), f"message {number}", start + number * pause, reply_to)
                for number in range(count)
            )

    def add_bot(self, name: str) -> str:
        """Add another app's bot; returns its open id."""
        world = self._world
        with world.changed:
            app = f"cli_{secrets.token_hex(8)}"
            bot = FeishuAccount(world.name("ou"), name, world.tenant, is_bot=True, app_id=app)
            world.accounts[bot.open_id] = bot
            return bot.open_id

    def forward(self, chat: str, by: str, messages: Sequence[str]) -> str:
        """Let somebody forward messages as one conversation; returns its id. The app hears of it."""
        with self._world.changed:
            number = self._people.send_raw(chat, by, "merge_forward", {})
            self._world.messages[number].forwarded = list(messages)
            return number

    def _place(self, chat: str, by: str, kind: str, content: JsonObject, at: float) -> FeishuMessage:
        world = self._world
        message = world.post(world.chats[chat], world.accounts[by], kind, content)
        message.at = at
        return message
