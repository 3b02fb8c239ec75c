"""What is asked of Slack's chats, and what the simulator answers, against the types in Slack's own SDK."""

from __future__ import annotations

import time

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from parley.channels.slack.channel import SlackChannel
from parley.channels.slack.config import Config
from parley.core.model.address import Conversation
from parley.core.model.earlier_messages import HistoryRequest, MessagePosition
from parley.simulator.kit.json_values import JsonObject
from parley.simulator.slack import SlackSimulator, SlackUpload
from tests.vendors.node_bot import SDKS
from tests.vendors.schemas.declared_types import DeclaredTypes

pytestmark = pytest.mark.vendors

_TYPES = SDKS / "node_modules" / "@slack" / "web-api" / "dist" / "types"
_ANSWERS = [_TYPES / "response" / f"Conversations{name}Response.d.ts" for name in ("Replies", "History")]
_UNDECLARED = {f"conversations.{name}.messages[].hidden is not declared" for name in ("replies", "history")}
"""What Slack sends of a root that was deleted, beside what its types say."""
_METHODS = {
    "conversations.replies": "ConversationsReplies",
    "conversations.history": "ConversationsHistory",
}


def _talk(sim: SlackSimulator) -> tuple[str, str, str]:
    """A chat with a thread in which everything was said that somebody may say; and mentions in both."""
    now = time.time()
    ann = sim.people.add_person("Ann")
    chat = sim.people.add_channel("team", [ann.id])
    root = sim.people.send_files(chat, ann.id, [SlackUpload("plan.txt", b"x")], "see")
    alert: JsonObject = {
        "title": "CPU",
        "text": "high",
        "fields": [{"title": "a", "value": "b", "short": True}],
    }
    share: JsonObject = {
        "is_msg_unfurl": True,
        "author_name": "Bob",
        "author_id": ann.id,
        "text": "hi",
        "from_url": "https://sim.slack.com/archives/C1/p1",
        "message_blocks": [{"team": "T1", "channel": chat, "ts": "1.2", "message": {"blocks": []}}],
    }
    section: JsonObject = {"type": "section", "block_id": "b", "text": {"type": "mrkdwn", "text": "*x*"}}
    sim.past.webhook(chat, "Grafana", now + 1, root, attachments=[alert])
    sim.past.say(chat, sim.people.add_bot("Robot"), "built", now + 2, root, blocks=[section])
    sim.past.say(chat, ann.id, "look", now + 3, root, attachments=[share])
    sim.people.edit(chat, sim.past.say(chat, ann.id, "teh", now + 4, root), "the")
    gone = sim.past.say(chat, ann.id, "secret", now + 5)
    sim.past.fill(chat, [ann.id], 1_200, now + 6, 0.01, gone)
    sim.people.delete(chat, gone)
    return chat, root, gone


async def test_what_is_asked_and_answered_is_as_the_vendor_declares_it() -> None:
    declared = DeclaredTypes.read(
        *_ANSWERS, _TYPES / "request" / "common.d.ts", _TYPES / "request" / "conversations.d.ts"
    )
    with SlackSimulator() as sim:
        chat, root, gone = _talk(sim)
        config = Config(bot_token=sim.bot_token, app_token=sim.app_token, api_url=sim.api_url)
        channel = SlackChannel(config)
        last = MessagePosition("", time.time() + 100)
        for topic in (root, gone, f"{last.at:.6f}"):
            place = Conversation("slack", chat, topic)
            assert await channel.earlier_messages(HistoryRequest(place, last, whole_chat=True))
        client = AsyncWebClient(sim.bot_token, base_url=sim.api_url)
        found: list[str] = []
        for call in sim.calls(*_METHODS):
            found += _wrong_arguments(declared, call.method, call.params)
            answer = await client.api_call(call.method, params=dict(call.params))
            found += declared.wrong(answer.data, f"{_METHODS[call.method]}Response", call.method)
        assert {call.method for call in sim.calls()} >= set(_METHODS)
    assert set(found) <= _UNDECLARED, found


def _wrong_arguments(declared: DeclaredTypes, method: str, given: JsonObject) -> list[str]:
    """Return what of a call is not declared; numbers are spelled in a query."""
    known = declared.fields[f"{_METHODS[method]}Arguments"]
    assert {"channel", "oldest", "limit"} <= set(known)
    return [f"{method}?{key}" for key in given if key not in known]


def test_undeclared_and_ill_typed_fields_are_seen() -> None:
    declared = DeclaredTypes.read(*_ANSWERS)
    odd = {"ok": "yes", "messages": [{"ts": 1, "bogus": 2, "files": {}, "edited": {"ts": "1"}}]}
    assert declared.wrong(odd, "ConversationsRepliesResponse", "x") == [
        "x.ok is 'yes'",
        "x.messages[].ts is 1",
        "x.messages[].bogus is not declared",
        "x.messages[].files is {}",
    ]
