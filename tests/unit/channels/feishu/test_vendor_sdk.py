"""Feishu's own SDK, in full, against the simulator: what it takes for Feishu, we may too."""

import asyncio
import json
import subprocess
import sys

from tests.kit.machine import patience

# All of the SDK would take ten seconds to import, so the parts beside those that are used are left out.
_SDK = """
import importlib.util, json, pathlib, sys, types
from parley.channels.feishu.inbound import frame_codec
frame_codec.check()                 # our own use of the SDK comes first: it must leave all of it importable
root = pathlib.Path(importlib.util.find_spec("lark_oapi").submodule_search_locations[0])
for name in ("", ".api", ".api.im", ".api.cardkit", ".event", ".event.callback", ".event.callback.model"):
    module = sys.modules["lark_oapi" + name] = types.ModuleType("lark_oapi" + name)
    module.__path__ = [str(root / name.strip(".").replace(".", "/"))]
dispatcher = sys.modules["lark_oapi.event.dispatcher_handler"] = types.ModuleType("dispatcher_handler")
dispatcher.EventDispatcherHandler = object
import lark_oapi.ws.client
from lark_oapi.api.cardkit.v1 import *
from lark_oapi.api.cardkit.v1.version import V1 as CardKit
from lark_oapi.api.im.v1 import *
from lark_oapi.api.im.v1.version import V1 as Im
from lark_oapi.core.model import Config
from lark_oapi.event.callback.model.p2_card_action_trigger import *
url, app, secret = sys.argv[1:]
config = Config()
config.app_id, config.app_secret, config.domain, config.timeout = app, secret, url, 10
im, cardkit = Im(config), CardKit(config)

def ok(answer):
    assert answer.success(), (answer.code, answer.msg)
    return getattr(answer, "data", None)

class Handler:
    def _do_without_validation(self, payload):
        if b"card.action.trigger" in payload:
            pressed = P2CardActionTrigger(json.loads(payload)).event
            who, where = pressed.operator.open_id, pressed.context.open_chat_id
            told = " ".join((pressed.action.value["said"], who, where))
            return P2CardActionTriggerResponse({"toast": {"type": "info", "content": told}})
        heard(P2ImMessageReceiveV1(json.loads(payload)).event.message)

def reacted(message):
    kind = Emoji.builder().emoji_type("Typing").build()
    added = ok(im.message_reaction.create(CreateMessageReactionRequest.builder().message_id(message)
        .request_body(CreateMessageReactionRequestBody.builder().reaction_type(kind).build()).build()))
    listed = ok(im.message_reaction.list(ListMessageReactionRequest.builder().message_id(message)
        .reaction_type("Typing").build())).items
    ours = [(each.reaction_id, each.operator.operator_type) for each in listed]
    assert ours == [(added.reaction_id, "app")]
    ok(im.message_reaction.delete(DeleteMessageReactionRequest.builder().message_id(message)
        .reaction_id(added.reaction_id).build()))

def heard(message):
    reacted(message.message_id)
    card = json.dumps({"schema": "2.0", "config": {"streaming_mode": True},
                       "body": {"elements": [{"tag": "markdown", "element_id": "md", "content": "..."}]}})
    made = ok(cardkit.card.create(CreateCardRequest.builder().request_body(
        CreateCardRequestBody.builder().type("card_json").data(card).build()).build()))
    content = json.dumps({"type": "card", "data": {"card_id": made.card_id}})
    body = ReplyMessageRequestBody.builder().msg_type("interactive").content(content).uuid("u1").build()
    reply = ReplyMessageRequest.builder().message_id(message.message_id).request_body(body).build()
    ids = {ok(im.message.reply(reply)).message_id for _ in range(2)}
    ok(cardkit.card_element.content(ContentCardElementRequest.builder().card_id(made.card_id)
        .element_id("md").request_body(ContentCardElementRequestBody.builder().content("**all** of it")
        .sequence(1).build()).build()))
    ok(cardkit.card.settings(SettingsCardRequest.builder().card_id(made.card_id).request_body(
        SettingsCardRequestBody.builder().settings('{"config":{"streaming_mode":false}}').sequence(2).build()
    ).build()))
    button = {"tag": "button", "text": {"tag": "plain_text", "content": "Press me"},
              "behaviors": [{"type": "callback", "value": {"said": "thanks,"}}]}
    whole = {"schema": "2.0", "config": {"streaming_mode": False},
             "body": {"elements": [{"tag": "markdown", "content": "**all** of it"}, button]}}
    ok(cardkit.card.update(UpdateCardRequest.builder().card_id(made.card_id).request_body(
        UpdateCardRequestBody.builder().card(Card.builder().type("card_json").data(json.dumps(whole)).build())
        .sequence(3).build()).build()))
    said = ok(im.message.get(GetMessageRequest.builder().message_id(message.message_id).build()))
    print(json.dumps([json.loads(message.content)["text"], len(ids), said.items[0].chat_id]), flush=True)

lark_oapi.ws.client.Client(app, secret, event_handler=Handler(), domain=url).start()
"""


async def test_the_official_client_hears_and_answers_words_and_presses(world):
    arguments = (world.sim.url, world.sim.world.app_id, world.sim.world.secret)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SDK, *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    try:
        world.say("hello")
        told = await _json_line(process.stdout)
        assert told == ["hello", 1, world.ann.chat]
        await world.until(lambda: world.people.unacknowledged() == 0)
        (answer,) = world.seen()
        world.people.press(world.ann.chat, world.ann.open_id, answer.id, "Press me")
        await world.until(lambda: world.people.told(world.ann.chat, world.ann.open_id))
    finally:
        process.kill()
        await process.communicate()
    assert (answer.text, answer.streaming) == ("all of it", False)
    told = (f"thanks, {world.ann.open_id} {world.ann.chat}",)
    assert world.people.told(world.ann.chat, world.ann.open_id) == told


async def _json_line(stream: asyncio.StreamReader) -> object:
    said = []
    async with asyncio.timeout(patience(50)):
        async for line in stream:
            if line.startswith(b'["'):
                return json.loads(line)
            said.append(line.decode())
            if b"[ERROR]" in line:
                break
    raise AssertionError("".join(said)[-3000:])
