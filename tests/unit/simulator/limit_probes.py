"""Calls as large as a documented limit, or larger, to the simulated platforms: which are taken."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import aiohttp

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.feishu.server import DEFAULT_APP, DEFAULT_SECRET
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator

Body: TypeAlias = dict[str, Any]
Probe: TypeAlias = "Callable[[Platform, int], Awaitable[bool]]"


@dataclass
class Platform:
    """An opened simulator, a place in it to write to, and an HTTP client."""

    sim: Any
    http: aiohttp.ClientSession
    place: str
    headers: Mapping[str, str] = field(default_factory=dict)

    async def call(self, method: str, path: str, body: Body) -> Body:
        """Return the answer to a call."""
        headers = {"Content-Type": "application/json; charset=utf-8", **self.headers}
        data = io.BytesIO(json.dumps(body, ensure_ascii=False).encode())
        async with self.http.request(method, path, data=data, headers=headers) as answer:
            found: Body = await answer.json()
            return found | {"status": answer.status}


async def slack(stack: ExitStack, http: aiohttp.ClientSession) -> Platform:
    """Open Slack with a channel."""
    sim = stack.enter_context(SlackSimulator())
    ann = sim.people.add_person("Ann")
    place = sim.people.add_channel("team", [ann.id])
    return Platform(sim, http, place, {"Authorization": f"Bearer {sim.bot_token}"})


async def telegram(stack: ExitStack, http: aiohttp.ClientSession) -> Platform:
    """Open Telegram with a private chat."""
    sim = stack.enter_context(TelegramSimulator())
    return Platform(sim, http, str(sim.people.add_person("Ann").id))


async def feishu(stack: ExitStack, http: aiohttp.ClientSession) -> Platform:
    """Open Feishu with a group, and a token."""
    sim = stack.enter_context(FeishuSimulator())
    place = sim.people.add_group("team", [sim.people.add_person("Ann").open_id])
    made = Platform(sim, http, place)
    keys = {"app_id": DEFAULT_APP, "app_secret": DEFAULT_SECRET}
    token = await made.call("POST", f"{sim.url}/open-apis/auth/v3/tenant_access_token/internal", keys)
    made.headers = {"Authorization": f"Bearer {token['tenant_access_token']}"}
    return made


async def dingtalk(stack: ExitStack, http: aiohttp.ClientSession) -> Platform:
    """Open DingTalk with a group, and a token."""
    sim = stack.enter_context(DingTalkSimulator())
    place = sim.people.add_group("team", [sim.people.add_person("Ann").id])
    made = Platform(sim, http, place)
    keys = {"appKey": sim.client_id, "appSecret": sim.client_secret}
    token = await made.call("POST", f"{sim.url}/v1.0/oauth2/accessToken", keys)
    made.headers = {"x-acs-dingtalk-access-token": token["accessToken"]}
    return made


OPEN = {"slack": slack, "telegram": telegram, "feishu": feishu, "dingtalk": dingtalk}


def _slack(method: str, make: Callable[[int], Body]) -> Probe:
    async def probe(on: Platform, size: int) -> bool:
        url = f"{on.sim.api_url}{method}"
        body = {"channel": on.place} | make(size)
        if method == "chat.update":
            posted = await on.call(
                "POST", f"{on.sim.api_url}chat.postMessage", {"channel": on.place, "text": "x"}
            )
            body["ts"] = posted["ts"]
        return bool((await on.call("POST", url, body))["ok"])

    return probe


def _button(**changes: object) -> Body:
    button = {"type": "button", "action_id": "a", "value": "v", "text": {"type": "plain_text", "text": "ok"}}
    return button | changes


def _actions(*buttons: Body, **changes: object) -> Body:
    return {
        "text": "x",
        "blocks": [{"type": "actions", "block_id": "b", "elements": list(buttons)} | changes],
    }


def _section(size: int) -> Body:
    return {"type": "section", "text": {"type": "mrkdwn", "text": "x" * size}}


def _sections(size: int) -> Body:
    full, rest = divmod(size, 3000)
    return {"text": "x", "blocks": [_section(3000)] * full + ([_section(rest)] if rest else [])}


SLACK: dict[str, Probe] = {
    "markdown_text": _slack("chat.postMessage", lambda size: {"markdown_text": "x" * size}),
    "update_text": _slack("chat.update", lambda size: {"text": "x" * size}),
    "markdown_block": _slack(
        "chat.postMessage", lambda size: {"text": "x", "blocks": [{"type": "markdown", "text": "x" * size}]}
    ),
    "blocks_text": _slack("chat.postMessage", _sections),
    "blocks": _slack("chat.postMessage", lambda size: {"text": "x", "blocks": [_section(1)] * size}),
    "section_text": _slack("chat.postMessage", lambda size: {"text": "x", "blocks": [_section(size)]}),
    "actions_elements": _slack(
        "chat.postMessage",
        lambda size: _actions(*(_button(action_id=f"a{number}") for number in range(size))),
    ),
    "button_text": _slack(
        "chat.postMessage",
        lambda size: _actions(_button(text={"type": "plain_text", "text": "x" * size})),
    ),
    "button_value": _slack("chat.postMessage", lambda size: _actions(_button(value="x" * size))),
    "action_id": _slack("chat.postMessage", lambda size: _actions(_button(action_id="x" * size))),
    "block_id": _slack("chat.postMessage", lambda size: _actions(_button(), block_id="x" * size)),
}


def _telegram(method: str, make: Callable[[int], Body], chat: bool = True) -> Probe:
    async def probe(on: Platform, size: int) -> bool:
        url = f"{on.sim.api_url}/bot{on.sim.token}/{method}"
        # What is to be refused here is the size, not the second webhook within a second.
        on.sim.world.webhook_set_again = 0.0
        return bool((await on.call("POST", url, ({"chat_id": on.place} if chat else {}) | make(size)))["ok"])

    return probe


def _keyboard(rows: list[list[Body]]) -> Body:
    return {"text": "x", "reply_markup": {"inline_keyboard": rows}}


async def _album(on: Platform, size: int) -> bool:
    form = aiohttp.FormData({"chat_id": on.place})
    media = [{"type": "document", "media": f"attach://{number}"} for number in range(size)]
    form.add_field("media", json.dumps(media))
    for number in range(size):
        form.add_field(str(number), b"text", filename=f"{number}.txt")
    url = f"{on.sim.api_url}/bot{on.sim.token}/sendMediaGroup"
    async with on.http.post(url, data=form) as answer:
        return bool((await answer.json())["ok"])


TELEGRAM: dict[str, Probe] = {
    "album_items": _album,
    "message_text": _telegram("sendMessage", lambda size: {"text": "😀" * (size // 2) + "x" * (size % 2)}),
    "callback_data": _telegram(
        "sendMessage", lambda size: _keyboard([[{"text": "ok", "callback_data": "x" * size}]])
    ),
    "buttons": _telegram(
        "sendMessage",
        lambda size: _keyboard([[{"text": "ok", "callback_data": str(number)}] for number in range(size)]),
    ),
    "rich_text": _telegram("sendRichMessage", lambda size: {"rich_message": {"markdown": "x" * size}}),
    "webhook_secret": _telegram(
        "setWebhook", lambda size: {"url": "https://127.0.0.1:9/x", "secret_token": "x" * size}, chat=False
    ),
}


def _feishu(kind: str, make: Callable[[int], Body], **more: object) -> Probe:
    async def probe(on: Platform, size: int) -> bool:
        url = f"{on.sim.url}/open-apis/im/v1/messages?receive_id_type=chat_id"
        content = json.dumps(make(size), ensure_ascii=False)
        body = {"receive_id": on.place, "msg_type": kind, "content": content} | more
        return bool((await on.call("POST", url, body))["code"] == 0)

    return probe


def _card(*elements: Body) -> Body:
    return {"schema": "2.0", "body": {"elements": list(elements)}}


def _filled(make: Callable[[str], Body], size: int) -> Body:
    """Return what is `size` bytes of JSON, filled with characters of three bytes."""
    room = size - len(json.dumps(make(""), ensure_ascii=False).encode())
    return make("好" * (room // 3) + "x" * (room % 3))


async def _uuid(on: Platform, size: int) -> bool:
    return await _feishu("text", lambda _: {"text": "x"}, uuid="x" * size)(on, size)


async def _page(on: Platform, size: int) -> bool:
    query = f"container_id_type=chat&container_id={on.place}&page_size={size}"
    url = f"{on.sim.url}/open-apis/im/v1/messages?{query}"
    async with on.http.get(url, headers=on.headers) as answer:
        return bool((await answer.json())["code"] == 0)


async def _speech(on: Platform, size: int) -> bool:
    samples = base64.b64encode(bytes(size * 32_000)).decode()
    config = {"file_id": "a" * 16, "format": "pcm", "engine_type": "16k_auto"}
    url = f"{on.sim.url}/open-apis/speech_to_text/v1/speech/file_recognize"
    return bool((await on.call("POST", url, {"speech": {"speech": samples}, "config": config}))["code"] == 0)


_TABLE = "|a|b|\n|-|-|\n|1|2|\n\n"
FEISHU: dict[str, Probe] = {
    "text_bytes": _feishu("text", lambda size: _filled(lambda text: {"text": text}, size)),
    "card_bytes": _feishu(
        "interactive",
        lambda size: _filled(lambda text: _card({"tag": "markdown", "content": text}), size),
    ),
    "card_tables": _feishu("interactive", lambda size: _card({"tag": "markdown", "content": _TABLE * size})),
    "card_elements": _feishu(
        "interactive", lambda size: _card(*[{"tag": "markdown", "content": "x"}] * size)
    ),
    "button_text": _feishu(
        "interactive",
        lambda size: _card({"tag": "button", "text": {"tag": "plain_text", "content": "x" * size}}),
    ),
    "uuid": _uuid,
    "page": _page,
    "speech_seconds": _speech,
}


def _dingtalk(path: str, make: Callable[[int], Body], place: str) -> Probe:
    async def probe(on: Platform, size: int) -> bool:
        body = {"robotCode": on.sim.world.robot, place: on.place} | make(size)
        return bool((await on.call("POST", f"{on.sim.url}{path}", body))["status"] == 200)

    return probe


def _markdown(size: int) -> Body:
    content = _filled(lambda text: {"title": "x", "text": text}, size)
    return {"msgKey": "sampleMarkdown", "msgParam": json.dumps(content, ensure_ascii=False)}


DINGTALK: dict[str, Probe] = {
    "group_message_bytes": _dingtalk("/v1.0/robot/groupMessages/send", _markdown, "openConversationId"),
}
PROBES: Mapping[str, Mapping[str, Probe]] = {
    "slack": SLACK,
    "telegram": TELEGRAM,
    "feishu": FEISHU,
    "dingtalk": DINGTALK,
}
