"""The operator of the walk in a simulated Slack."""

from __future__ import annotations

from collections.abc import Mapping

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.operator import SimulatedOperator
from parley.simulator.slack.model import SlackUpload
from parley.simulator.slack.server import SlackSimulator


class SlackOperator(SimulatedOperator):
    """Somebody with a DM and a channel."""

    def __init__(self, simulator: SlackSimulator) -> None:
        self._simulator = simulator
        people = self._people = simulator.people
        self._me, self._other = people.add_person("Olga"), people.add_person("Nils")
        self._channel = people.add_channel("walkers", [self._me.id, self._other.id])
        self._last = ""

    @property
    def settings(self) -> Mapping[str, Json]:
        """Return the section of the configuration."""
        simulator = self._simulator
        tokens = {"bot_token": simulator.bot_token, "app_token": simulator.app_token}
        return {**tokens, "api_url": simulator.api_url}

    def say(self, text: str) -> None:
        """Write in the DM."""
        self._last = self._people.say(self._me.dm, self._me.id, text)

    def reply(self, text: str) -> None:
        """Write in the thread of the last answer."""
        self._people.say(self._me.dm, self._me.id, text, self._last)

    def mention(self, text: str) -> None:
        """Mention the app in the channel."""
        self._people.say(self._channel, self._me.id, f"@{self._simulator.handle} {text}")

    def send_file(self, text: str) -> None:
        """Send a file with words."""
        note = SlackUpload("walk.txt", b"a small file\n", "text/plain")
        self._last = self._people.send_files(self._me.dm, self._me.id, [note], text)

    def press(self) -> None:
        """Press the first button of the last question."""
        asked = [each for each in self._people.messages(self._me.dm) if each.buttons]
        if not asked:
            raise LookupError("there is no button")
        self._people.press(self._me.dm, self._me.id, asked[-1].ts, asked[-1].buttons[0])

    def forward(self, text: str) -> None:
        """Share what somebody else wrote in the channel (@slack/types, MessageAttachment)."""
        world = self._simulator.world
        ts = self._people.say(self._channel, self._other.id, text)
        with world.changed:
            now = world.new_ts()
        shared: JsonObject = {
            "is_share": True,
            "is_msg_unfurl": True,
            "channel_id": self._channel,
            "ts": ts,
            "author_id": self._other.id,
            "author_name": self._other.name,
            "text": text,
            "fallback": text,
        }
        event: JsonObject = {"type": "message", "channel": self._me.dm, "channel_type": "im", "text": ""}
        event |= {"user": self._me.id, "ts": now, "event_ts": now, "attachments": [dict(shared)]}
        self._people.inject_event(event)
