"""The operator of the walk in a simulated DingTalk."""

from __future__ import annotations

import json
from collections.abc import Mapping

from parley.simulator.dingtalk.model import DingTalkUpload
from parley.simulator.dingtalk.server import DingTalkSimulator
from parley.simulator.kit.json_values import Json
from parley.simulator.kit.operator import SimulatedOperator


class DingTalkOperator(SimulatedOperator):
    """Somebody with a private chat and a group."""

    def __init__(self, simulator: DingTalkSimulator) -> None:
        self._simulator = simulator
        people = self._people = simulator.people
        self._me, self._other = people.add_person("Olga"), people.add_person("Nils")
        self._group = people.add_group("Walkers", [self._me.id, self._other.id])

    @property
    def settings(self) -> Mapping[str, Json]:
        """Return the section of the configuration."""
        simulator = self._simulator
        return {
            "client_id": simulator.client_id,
            "client_secret": simulator.client_secret,
            "card_template_id": simulator.template,
            "question_template_id": simulator.question_template,
            "api_url": simulator.url,
            "oapi_url": simulator.url,
            "allowed_users": ["*"],
        }

    def say(self, text: str) -> None:
        """Write in private."""
        self._people.say(self._me.id, self._me.id, text)

    def reply(self, text: str) -> None:
        """Quote the last answer."""
        answers = [each.id for each in self._people.messages(self._me.id) if each.from_robot]
        self._people.say(self._me.id, self._me.id, text, answers[-1] if answers else "")

    def mention(self, text: str) -> None:
        """Mention the robot in the group."""
        self._people.say(self._group, self._me.id, f"@{self._simulator.name} {text}")

    def send_file(self, text: str) -> None:
        """Send a file; on DingTalk it has no words."""
        note = DingTalkUpload("walk.txt", b"a small file\n", "text/plain")
        self._people.send_file(self._me.id, self._me.id, note)

    def press(self) -> None:
        """Press the first button of the last question."""
        asked = [each for each in self._people.messages(self._me.id) if each.buttons]
        if not asked:
            raise LookupError("there is no button")
        self._people.press(self._me.id, self._me.id, asked[-1].id, asked[-1].buttons[0])

    def forward(self, text: str) -> None:
        """Forward what somebody else wrote."""
        record = {"senderNick": self._other.name, "msgType": "text", "content": text}
        body: dict[str, Json] = {"summary": text, "chatRecord": json.dumps([record])}
        self._people.pass_on(self._me.id, self._me.id, "chatRecord", body)
