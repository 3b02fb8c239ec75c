"""What people press, fill in and write as commands, as the simulator sends it, against Bolt's own types."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.channels.slack.manifest import ASK_SHORTCUT
from parley.core.model.types import Json
from parley.core.texts import Sentence, say
from parley.simulator.slack import SlackSimulator
from tests.kit.platforms.slack_channel import KeepingInbox, Notes, World, listening, snapshot
from tests.kit.wire_shapes import collecting_shapes, read_shapes
from tests.vendors.schemas.typescript import wrong_values
from tests.vendors.schemas.wire_types import SLACK_IMPORTS, slack_values

pytestmark = pytest.mark.vendors

_KINDS = {"block_actions", "message_action", "view_submission", "slash command"}
_UNDECLARED = "view_submission: username is not declared"
"""Declared for who presses a button; here the types leave it out."""


async def _pressed(world: World) -> None:
    """Let somebody press a thumb and a suggestion, use the shortcut, fill in its form and write a command."""
    alice, people, inbox, thread = world.alice, world.people, KeepingInbox(), world.thread()
    channel = world.channel(feedback="on")
    async with listening(channel, inbox):
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.finish(snapshot("Hello!", final=True, rateable=True, suggestions=("Why?",)))
        for label in ("Good answer", "Why?"):
            people.press(thread[0], alice.id, people.messages(*thread)[-1].ts, label)
        await world.until(lambda: len(inbox.clicks) == 2)
        people.use_shortcut(thread[0], alice.id, thread[1], ASK_SHORTCUT)
        await world.until(lambda: people.modal(alice.id))
        people.submit(alice.id, **{say("en", Sentence.ASK_FIELD): "why?"})
        people.command(thread[0], alice.id, "/parley", "help")
        await world.until(lambda: people.unacknowledged() == 0)


async def test_what_people_press_is_as_bolt_declares_it(tmp_path: Path) -> None:
    with SlackSimulator(strict_pace=False) as sim, collecting_shapes(str(tmp_path), "slack"):
        await _pressed(World(sim, sim.people.add_person("Alice")))
    values = [each for each in slack_values(read_shapes(tmp_path, "slack")) if each.what in _KINDS]
    assert {each.what for each in values} == _KINDS
    assert wrong_values("slack-presses", SLACK_IMPORTS, values) == [_UNDECLARED]


def test_a_seeded_fault_in_a_press_is_seen() -> None:
    def frame(**more: Json) -> dict[str, Json]:
        payload: Json = {"type": "block_actions", "trigger_id": "1", "user": {"id": "U1"}, **more}
        return {"kind": "frame", "inward": True, "data": {"type": "interactive", "payload": payload}}

    def wrong(**more: Json) -> str:
        return " ".join(wrong_values("slack-fault", SLACK_IMPORTS, list(slack_values([frame(**more)]))))

    assert wrong() == ""
    assert "bogus is not declared" in wrong(bogus=1)
    assert "number" in wrong(trigger_id=2)
    assert "never" in wrong(type="no_such_kind")
