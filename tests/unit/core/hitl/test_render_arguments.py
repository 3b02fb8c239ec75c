"""What people read of an action's arguments before they approve it: all of it, and nothing that is not so."""

from __future__ import annotations

import json
import re

import pytest

from parley.core.hitl.render_arguments import format_arguments


def shown(arguments: object, most: int = 1500) -> str:
    text, whole = format_arguments(json.dumps(arguments), most)
    assert whole
    return text


def test_plain_values_have_labels_and_texts_keep_their_lines() -> None:
    mail = {"to": "ada@example.org", "reply_to": "me@example.org", "body": "Hi,\n\nnoon?", "urgent": True}
    assert shown(mail) == (
        "**To:** `ada@example.org`\n\n**Reply to:** `me@example.org`\n\n"
        "**Body:**\n```\nHi,\n\nnoon?\n```\n\n**Urgent:** `true`"
    )


def test_nested_values_are_indented_text() -> None:
    order = {"items": [{"name": "tea", "count": 2}, {"name": "two\nlines", "count": 0}], "note": ""}
    assert shown(order) == (
        "**Items:**\n```\n-\n  name: tea\n  count: 2\n-\n"
        '  name: "two\\nlines"\n  count: 0\n```\n\n**Note:** `""`'
    )


@pytest.mark.parametrize(
    "value",
    [
        "x`\n\n**To:** `bob@example.org",
        "x\n```\n**To:** `bob@example.org`\n```",
        "x\n~~~\n**To:** `bob@example.org`",
        "x\r**To:** `bob@example.org`",
        "x\u2028**To:** `bob@example.org`",
    ],
)
def test_no_value_passes_for_another_field(value: str) -> None:
    outside = re.sub(r"^```\n.*?\n```$", "", shown({"body": value}), flags=re.DOTALL | re.MULTILINE)
    assert outside.strip() == "**Body:**"


@pytest.mark.parametrize("key", ["a`\n**To:** `x", "**To:** x", "", " to", "t\u200bo", "\u202eot"])
def test_no_key_passes_for_another_field(key: str) -> None:
    text = shown({key: "value", "to": "ada"})
    assert text.count("**To:** `ada`") == 1
    assert "\n**To:** `x" not in text.replace("**To:** `ada`", "")
    assert text.startswith("**`")


def test_keys_that_read_alike_are_told_apart() -> None:
    assert shown({"send_to": 1, "Send_to": 2}).startswith("**`send_to`:** `1`")


def test_what_cannot_be_seen_is_written_out() -> None:
    assert shown({"to": "a\u202eb\u200bc"}) == "**To:** `a\\u202eb\\u200bc`"


def test_what_is_too_long_is_cut_and_said_so() -> None:
    text, whole = format_arguments(json.dumps({"a": "x" * 100, "b": "y" * 100}), 150)
    assert not whole
    assert text.count("x") == 100
    assert 0 < text.count("y") < 50
    assert "…" in text


@pytest.mark.parametrize("arguments", ["no JSON", "[" * 100_000, '["a", 1]', "null"])
def test_anything_is_shown(arguments: str) -> None:
    text, _ = format_arguments(arguments, 1500)
    assert arguments[:4].strip('["') in text
    assert text.startswith("```\n")


def test_very_many_fields_take_no_longer_than_they_are_many() -> None:
    arguments = json.dumps({f"key {number}": 0 for number in range(100_000)})
    assert not format_arguments(arguments, 1500)[1]
