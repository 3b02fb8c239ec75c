"""What is asked of chats, and what the simulator answers, against the models in Feishu's own SDK."""

import asyncio
import json
import subprocess
import sys
import time

from parley.core.model.address import Conversation
from parley.core.model.earlier_messages import HistoryRequest, MessagePosition
from tests.kit.machine import patience

# All of the SDK would take ten seconds to import, so the parts beside those that are used are left out.
_SDK = """
import importlib, importlib.util, json, pathlib, sys, types, typing
root = pathlib.Path(importlib.util.find_spec("lark_oapi").submodule_search_locations[0])
for name in ("", ".api", ".api.im", ".api.im.v1", ".event", ".api.application", ".api.application.v6",
             ".api.speech_to_text", ".api.speech_to_text.v1"):
    module = sys.modules["lark_oapi" + name] = types.ModuleType("lark_oapi" + name)
    module.__path__ = [str(root / name.strip(".").replace(".", "/"))]

def model(path, name):
    return getattr(importlib.import_module(f"lark_oapi.api.{path}"), name)

def wrong(value, kind, where):
    if typing.get_origin(kind) is list:
        inner = typing.get_args(kind)[0]
        return [each for entry in value for each in wrong(entry, inner, where + "[]")]
    if not hasattr(kind, "_types"):
        # Whole numbers are spelled as texts in these answers.
        fits = isinstance(value, kind) or (kind is int and isinstance(value, str) and value.isdecimal())
        return [] if fits else [f"{where} is {value!r}"]
    unknown = [f"{where}.{key} is not declared" for key in value if key not in kind._types]
    known = [key for key in value if key in kind._types]
    return unknown + [each for key in known for each in wrong(value[key], kind._types[key], f"{where}.{key}")]

asked = {
    "list": model("im.v1.model.list_message_request", "ListMessageRequest"),
    "get": model("im.v1.model.get_message_request", "GetMessageRequest"),
    "scopes": model("application.v6.model.list_scope_request", "ListScopeRequest"),
}
answered = {
    "list": model("im.v1.model.list_message_response_body", "ListMessageResponseBody"),
    "get": model("im.v1.model.get_message_response_body", "GetMessageResponseBody"),
    "scopes": model("application.v6.model.list_scope_response_body", "ListScopeResponseBody"),
}
events = {
    "added": model("im.v1.model.p2_im_chat_member_bot_added_v1", "P2ImChatMemberBotAddedV1Data"),
    "entered": model("im.v1.model.p2_im_chat_access_event_bot_p2p_chat_entered_v1",
                     "P2ImChatAccessEventBotP2pChatEnteredV1Data"),
}
speech = "speech_to_text.v1.model.file_recognize_speech_"
bodies = {
    "speech": (model(speech + "request", "FileRecognizeSpeechRequest"),
               model(speech + "request_body", "FileRecognizeSpeechRequestBody"),
               model(speech + "response_body", "FileRecognizeSpeechResponseBody")),
}
found = []
for name, query, data in json.load(sys.stdin):
    if name in events:
        found += wrong(data, events[name], name)
        continue
    if name in bodies:
        request, given, told = bodies[name]
        made = request.builder().build()
        declared = {"method": made.http_method.name, "path": made.uri}
        found += [f"{key} is {query[key]}" for key in declared if query[key] != declared[key]]
        found += wrong(query["body"], given, name) + wrong(data, told, name)
        continue
    fields = vars(asked[name]())
    found += [f"{name}?{key}" for key in query if key not in fields]
    found += wrong(data, answered[name], name)
print(json.dumps(found))
"""


async def test_what_is_asked_and_answered_is_as_the_vendor_declares_it(world):
    heard = []
    call = world.channel._api._wire.call

    async def recorded(method, path, *more, **others):
        answer = await call(method, path, *more, **others)
        names = {"/open-apis/im/v1/messages": "list", "/open-apis/application/v6/scopes": "scopes"}
        if method == "GET" and "/bot/" not in path and "/contact/" not in path:
            heard.append((names.get(path, "get"), others["query"] or {}, answer["data"]))
        return answer

    world.channel._api._wire.call = recorded
    bob, now = world.people.add_person("Bob", tenant="another"), time.time()
    chat, past = world.group(), world.sim.past
    root = past.say(chat, world.ann.open_id, "begin", now - 90)
    past.fill(chat, [bob.open_id, past.add_bot("Robot")], 70, now - 80, 1.0, root)
    world.say("@Bob look", chat)
    past.forward(chat, bob.open_id, [root])
    mention = past.say(chat, world.ann.open_id, "help", time.time() + 1)
    in_topic = past.say(chat, world.ann.open_id, "help", time.time() + 1, root)
    topic = world.sim.world.messages[root].thread
    for place, message in ((None, mention), (topic, in_topic)):
        at = MessagePosition(message, world.sim.world.messages[message].at)
        await world.channel.earlier_messages(HistoryRequest(Conversation("feishu", chat, place), at))
    await world.channel.preflight()
    assert {name for name, _, _ in heard} == {"list", "get", "scopes"}
    assert any("page_token" in query for _, query, _ in heard)
    checked = await asyncio.to_thread(_check, json.dumps(heard))
    assert json.loads(checked.stdout or "null") == [], checked.stderr[-2000:]


async def test_speech_is_sent_as_the_vendor_declares_it(world):
    heard = []
    call = world.channel._api._wire.call

    async def recorded(method, path, body, **others):
        answer = await call(method, path, body, **others)
        heard.append(("speech", {"method": method, "path": path, "body": body}, answer["data"]))
        return answer

    async with world.channel._api.connected():
        await world.channel._api.tokens.renew()
        world.channel._api._wire.call = recorded
        assert await world.channel._api.recognize(b"\1\2" * 8_000) == "simulated words"
    checked = await asyncio.to_thread(_check, json.dumps(heard))
    assert json.loads(checked.stdout or "null") == [], checked.stderr[-2000:]
    heard[0][1]["body"]["config"]["rate"] = 16_000
    checked = await asyncio.to_thread(_check, json.dumps(heard))
    assert json.loads(checked.stdout) == ["speech.config.rate is not declared"]


async def test_events_of_arrivals_are_as_the_vendor_declares_them(world):
    chat = world.group()
    arrivals: list[tuple[str, dict[str, str], object]] = []
    world.say("hello")
    world.people.add_bot(chat, world.ann.open_id)
    world.people.enter(world.ann.chat, world.ann.open_id)
    for event in world.sim.world.events[-2:]:
        body = json.loads(event.body)
        del body["event"]["operator_id"]["user_id"]
        name = "added" if "bot.added" in body["header"]["event_type"] else "entered"
        arrivals.append((name, {}, body["event"]))
    assert [name for name, _, _ in arrivals] == ["added", "entered"]
    checked = await asyncio.to_thread(_check, json.dumps(arrivals))
    assert json.loads(checked.stdout or "null") == [], checked.stderr[-2000:]


def _check(heard: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _SDK],
        input=heard,
        capture_output=True,
        text=True,
        timeout=patience(60),
        check=False,
    )
