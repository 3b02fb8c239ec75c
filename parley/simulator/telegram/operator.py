"""The operator of the walk in a simulated Telegram."""

from __future__ import annotations

import time
from collections.abc import Mapping

from parley.simulator.kit.json_values import Json
from parley.simulator.kit.operator import SimulatedOperator
from parley.simulator.telegram.api.methods import as_json
from parley.simulator.telegram.api.serializers import user_json
from parley.simulator.telegram.model import TelegramUpload
from parley.simulator.telegram.server import TelegramSimulator


class TelegramOperator(SimulatedOperator):
    """Somebody with a private chat and a group."""

    def __init__(self, simulator: TelegramSimulator) -> None:
        self._simulator = simulator
        people = self._people = simulator.people
        self._me, self._other = people.add_person("Olga", "olga_op"), people.add_person("Nils", "nils_op")
        self._group = people.add_group("Walkers", [self._me.id, self._other.id])

    @property
    def settings(self) -> Mapping[str, Json]:
        """Return the section of the configuration."""
        simulator = self._simulator
        return {"bot_token": simulator.token, "api_url": simulator.api_url, "allowed_users": ["*"]}

    def say(self, text: str) -> None:
        """Write in private."""
        self._people.say(self._me.id, self._me.id, text)

    def reply(self, text: str) -> None:
        """Reply to the last answer."""
        answers = [each.id for each in self._people.messages(self._me.id) if each.from_bot]
        self._people.say(self._me.id, self._me.id, text, reply_to=answers[-1] if answers else None)

    def mention(self, text: str) -> None:
        """Mention the bot in the group."""
        self._people.say(self._group, self._me.id, f"@{self._simulator.username} {text}")

    def send_file(self, text: str) -> None:
        """Send a document with a caption."""
        note = TelegramUpload("walk.txt", b"a small file\n", "text/plain")
        self._people.send_file(self._me.id, self._me.id, note, text)

    def press(self) -> None:
        """Press the first button of the last question."""
        asked = [each for each in self._people.messages(self._me.id) if each.buttons]
        if not asked:
            raise LookupError("there is no button")
        self._people.press(self._me.id, self._me.id, asked[-1].id, asked[-1].buttons[0][0])

    def forward(self, text: str) -> None:
        """Forward what somebody else wrote (Bot API, MessageOriginUser)."""
        world = self._simulator.world
        with world.changed:
            me, other = world.accounts[self._me.id], world.accounts[self._other.id]
            message = world.post(world.chats[self._me.id], me, None)
            message.text = text
            origin: Json = {"type": "user", "sender_user": user_json(other), "date": int(time.time()) - 60}
            message.service = {"forward_origin": origin}
            world.push("message", as_json(world, message))
