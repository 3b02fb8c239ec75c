"""What nobody should send a Telegram bot, and a decoder may stumble over."""

from __future__ import annotations

from parley.simulator.kit.json_values import Json

_NOBODY: dict[str, Json] = {"data": "x:1", "from": {"id": "nobody", "first_name": 3}}


def _pressed(**changes: Json) -> Json:
    chat: Json = {"id": 5, "type": "private", "first_name": "E"}
    press: dict[str, Json] = {
        "id": "4711",
        "from": {"id": 5, "is_bot": False, "first_name": "E"},
        "chat_instance": "1",
        "message": {"message_id": 1, "date": 1, "chat": chat},
    }
    return press | changes


# What a person's client could cause, and a decoder may stumble over.
STRANGE: tuple[dict[str, Json], ...] = (
    {},
    {"text": ""},
    {"text": None},
    {"text": ["a", "list"]},
    {"text": 17},
    {"text": "from nobody", "from": None},
    {"text": "from a text", "from": "Ann"},
    {"text": "no chat", "chat": None},
    {"text": "odd chat", "chat": {"id": "x", "type": "moon"}},
    {"text": "no date", "date": None},
    {"text": "long ago", "date": -(10**18)},
    {"text": "marks", "entities": [{"type": "mention", "offset": 10**9, "length": -5}, 3, None]},
    {"text": "half \ud83d a sign", "entities": [{"type": "bold", "offset": 5, "length": 1}]},
    {"photo": []},
    {"photo": [{"file_id": None}]},
    {"document": "a text"},
    {"message_id": "seven", "text": "numbered oddly"},
    {"new_chat_members": [{"id": 1, "is_bot": False, "first_name": "N"}]},
    {"reply_to_message": {"message_id": 1}, "text": "answers nothing"},
)
RUBBISH: tuple[dict[str, Json], ...] = (
    {},
    {"message": None},
    {"message": "a text"},
    {"message": []},
    {"update_id": "not a number", "message": {}},
    {"callback_query": {"id": 1}},
    {"callback_query": _pressed(data=None)},
    {"callback_query": _pressed(data=["a", "list"])},
    {"callback_query": _pressed(data="")},
    {"callback_query": _pressed(data="somebody else's button")},
    {"callback_query": _pressed(data=f"{'0' * 32}-1:7")},
    {"callback_query": _pressed(data="../../etc:99999999999999999999")},
    {"callback_query": _pressed(data="half \ud83d a sign:\u0000")},
    {"callback_query": _pressed(data="x:1", message=None)},
    {"callback_query": _pressed(data="x:1", message={"chat": {"id": 5, "type": "private"}, "date": 0})},
    {"callback_query": _pressed(**_NOBODY)},
    {"edited_message": {}},
    {"never_heard_of": {"a": [{"b": {}}] * 50}},
)
