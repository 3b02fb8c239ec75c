"""Posts as Slack makes them, and ever stranger ones."""

from __future__ import annotations

import copy
import json
from typing import Any
from urllib.parse import urlencode

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_STRANGE: tuple[object, ...] = (
    *(None, True, -1, 0, 10**400, 1e308, "", " ", "\0", "\ud800", "T0OTHER", "U000001", "1.5", "x" * 5000),
    *([], [[]], {}, {"a": None}, [None] * 50, "message_changed", "agent_session_stopped", "<@U000001>"),
)


def originals(world):
    """Sound payloads of every kind: a kind of content, and an object."""
    alice = world.alice
    said = {
        "type": "message",
        "channel": alice.dm,
        "channel_type": "im",
        "user": alice.id,
        "text": "hello <@U000001> &amp; <https://x.org|you>",
        "ts": "1700000000.000100",
        "event_ts": "1700000000.000100",
        "team": "T0SIM",
        "files": [{"id": "F1", "name": "a.png", "mimetype": "image/png", "size": 7, "url_private": "x"}],
    }
    changed: dict[str, Any] = {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C1",
        "event_ts": "1700000001.0",
    }
    changed |= {"message": said, "previous_message": said | {"text": "hello"}}
    stopped = {"type": "agent_session_stopped", "channel": "C1", "thread_ts": "1.5", "user": alice.id}
    action = {
        "type": "block_actions",
        "user": {"id": alice.id},
        "container": {"channel_id": alice.dm, "message_ts": "1.5", "thread_ts": "1.2"},
        "actions": [{"action_id": "parley_answer:1", "value": '["q", "yes"]', "action_ts": "2.5"}],
    }
    form = {
        "type": "view_submission",
        "user": {"id": alice.id},
        "view": {
            "id": "V1",
            "callback_id": "parley_form",
            "private_metadata": '["q", "en", "C1", "1.2"]',
            "state": {"values": {"arguments": {"arguments": {"value": "{}"}}}},
        },
    }
    return [
        *((_JSON, _callback(event)) for event in (said, changed, stopped | {"event_ts": "2.5"})),
        (_JSON, {"type": "url_verification", "challenge": "abc"}),
        (_FORM, action),
        (_FORM, form),
        (_FORM, {"command": "/x", "text": "y", "user_id": alice.id}),
    ]


def mutants(chance, world, count):
    """So many bodies with their content types and headers that are not as Slack's; each differs."""
    sound = originals(world)
    for _ in range(count):
        kind, payload = chance.choice(sound)
        payload = copy.deepcopy(payload)
        for _ in range(chance.randrange(4)):
            _strange_value(chance, payload)
        body = _written(chance, kind, payload)
        headers = {}
        if chance.random() < 0.3:
            body = _strange_bytes(chance, body)
        if chance.random() < 0.1:
            headers = {"x-slack-signature": chance.choice(("", "v0=", "v0=" + "0" * 64, "v1=00"))}
        if chance.random() < 0.1:
            headers |= {"x-slack-request-timestamp": chance.choice(("", "0", "-1", "1e9", "nan", "9" * 30))}
        yield body, chance.choice((kind, kind, kind, _JSON, _FORM, "", "text/html; charset=x")), headers


def _callback(event):
    return {"type": "event_callback", "team_id": "T0SIM", "event_id": "Ev1", "event": event}


def _strange_value(chance, payload):
    """Change one value, anywhere within."""
    at = payload
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(at[key], dict | list) and at[key] and chance.random() < 0.7:
            at = at[key]
            continue
        at[key] = copy.deepcopy(chance.choice(_STRANGE))
        return


def _written(chance, kind, payload):
    text = json.dumps(payload)
    if kind == _JSON:
        return text.encode()
    if chance.random() < 0.8:
        return urlencode({"payload": text}).encode()
    return urlencode({key: str(value) for key, value in payload.items()}, errors="replace").encode()


def _strange_bytes(chance, body):
    """Cut, doubled, or with bytes that are not its own."""
    match chance.randrange(4):
        case 0:
            return body[: chance.randrange(len(body) + 1)]
        case 1:
            return body * chance.randrange(3)
        case 2:
            at = chance.randrange(len(body) + 1)
            return body[:at] + chance.randbytes(chance.randrange(20)) + body[at:]
        case _:
            mixed = bytearray(body)
            for _ in range(chance.randrange(1, 6)):
                mixed[chance.randrange(len(mixed))] = chance.randrange(256)
            return bytes(mixed)
