"""The operator of the walk in a simulated Feishu."""

from __future__ import annotations

from collections.abc import Mapping

from parley.simulator.feishu.model import FeishuUpload
from parley.simulator.feishu.server import FeishuSimulator
from parley.simulator.kit.json_values import Json
from parley.simulator.kit.operator import SimulatedOperator


class FeishuOperator(SimulatedOperator):
    """Somebody with a private chat and a group."""

    def __init__(self, simulator: FeishuSimulator) -> None:
        self._simulator = simulator
        people = self._people = simulator.people
        self._me, self._other = people.add_person("Olga"), people.add_person("Nils")
        self._group = people.add_group("Walkers", [self._me.open_id, self._other.open_id])

    @property
    def settings(self) -> Mapping[str, Json]:
        """Return the section of the configuration."""
        world = self._simulator.world
        return {"app_id": world.app_id, "app_secret": world.secret, "domain": self._simulator.url}

    def say(self, text: str) -> None:
        """Write in private."""
        self._people.say(self._me.chat, self._me.open_id, text)

    def reply(self, text: str) -> None:
        """Reply to the last answer."""
        answers = [each.id for each in self._people.messages(self._me.chat) if each.from_bot]
        self._people.say(self._me.chat, self._me.open_id, text, reply_to=answers[-1] if answers else "")

    def mention(self, text: str) -> None:
        """Mention the bot in the group."""
        self._people.say(self._group, self._me.open_id, f"@{self._simulator.world.bot.name} {text}")

    def send_file(self, text: str) -> None:
        """Send a file; on Feishu it has no words."""
        self._people.send_file(self._me.chat, self._me.open_id, FeishuUpload("walk.txt", b"a small file\n"))

    def press(self) -> None:
        """Press the first button of the last question."""
        asked = [each for each in self._people.messages(self._me.chat) if each.buttons]
        if not asked:
            raise LookupError("there is no button")
        self._people.press(self._me.chat, self._me.open_id, asked[-1].id, asked[-1].buttons[0])

    def forward(self, text: str) -> None:
        """Forward what somebody else wrote in the group."""
        said = self._people.say(self._group, self._other.open_id, text)
        self._simulator.past.forward(self._me.chat, self._me.open_id, [said])
