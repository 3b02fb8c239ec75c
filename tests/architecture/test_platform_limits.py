"""No constant of a channel is above what its platform allows, as its documents say and not as we think."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator

import pytest

from parley.simulator.kit.limits import load_limits
from tests.kit.checkout import ROOT, parsed

PLATFORMS = ("dingtalk", "feishu", "slack", "telegram")
ROWS: dict[str, str] = {
    "dingtalk/formatting.py:CARD_PART": "card_characters",
    "dingtalk/formatting.py:MAX_PART_BYTES": "group_message_bytes",
    "dingtalk/formatting.py:VARIABLE_BYTES": "card_variable_bytes",
    "dingtalk/inbound/card_callbacks.py:ANSWER_TIME": "answer_time",
    "dingtalk/outbound/file_messages.py:MOST_SPOKEN_BYTES": "voice_bytes",
    "dingtalk/outbound/file_messages.py:MOST_SPOKEN_SECONDS": "voice_seconds",
    "dingtalk/unanswered_presses.py:LONGEST": "answer_time",
    "feishu/api.py:TOKEN_EARLY": "token_overlap",
    "feishu/formatting.py:MAX_CARD_BYTES": "card_bytes",
    "feishu/formatting.py:MOST_TABLES": "card_tables",
    "feishu/inbound/earlier_messages.py:MOST_IN_PAGE": "page",
    "feishu/outbound/message_part.py:UUID_LIFE": "uuid_life",
    "feishu/question_card.py:MAX_FOOTER_BYTES": "card_bytes",
    "feishu/question_card.py:MOST_BUTTONS": "card_elements",
    "feishu/question_card.py:MOST_CARD_BYTES": "card_bytes",
    "feishu/question_card.py:MOST_INPUT": "input_text",
    "feishu/question_card.py:MOST_LABEL": "button_text",
    "feishu/speech_recognition.py:MOST_SECONDS": "speech_seconds",
    "slack/agent_api.py:MOST_LOADING": "loading_messages",
    "slack/agent_api.py:MOST_TITLE": "session_title",
    "slack/blocks.py:MAX_TEXT_WITH_BUTTONS": "markdown_block",
    "slack/blocks.py:MAX_PLAIN_TEXT": "update_text",
    "slack/blocks.py:MOST_IN_ROW": "actions_elements",
    "slack/blocks.py:MOST_LABEL": "button_text",
    "slack/blocks.py:MOST_VALUE": "button_value",
    "slack/blocks.py:_MOST_SECTION": "section_text",
    "slack/formatting.py:MAX_CARDS_BYTES": "stream_with_cards",
    "slack/formatting.py:MAX_TEXT_BESIDE_CARDS": "stream_with_cards",
    "slack/formatting.py:MAX_MESSAGE_CHARS": "markdown_text",
    "slack/inbound/earlier_messages.py:MOST_IN_PAGE": "history_page",
    "slack/inbound/events_api.py:_FRESH": "signature_age",
    "slack/modal.py:_MOST_INPUT": "plain_text_input",
    "slack/outbound/command_reply.py:MOST_RESPONSES": "responses",
    "slack/modal.py:_MOST_VALUE": "plain_text_input",
    "slack/outbound/task_cards.py:MOST_TITLE": "task_title",
    "telegram/formatting.py:MAX_CAPTION_UNITS": "caption",
    "telegram/formatting.py:MAX_MESSAGE_UNITS": "message_text",
    "telegram/file_transfer.py:MOST_IN_ALBUM": "album_items",
    "telegram/formatting.py:MOST_ENTITIES": "entities",
    "telegram/inbound/callback_answers.py:MAX_NOTIFICATION": "callback_answer",
    "telegram/inline_keyboard.py:MOST_BUTTONS": "buttons",
    "telegram/inline_keyboard.py:_MOST_IN_ROW": "buttons_in_row",
    "telegram/outbound/rich_layout.py:MAX_RICH_CHARS": "rich_text",
}
"""A constant of a channel, and the row of `parley/simulator/limits` that it must not be above."""
OURS = frozenset(
    {
        "dingtalk/errors.py:_MOST_WORDS",
        "dingtalk/message_origins.py:MAX_KNOWN",
        "dingtalk/message_origins.py:MOST_WORDS",
        "dingtalk/message_origins.py:_MOST_TEXT",
        "dingtalk/outbound/card_delivery.py:_MOST_ERROR",
        "dingtalk/outbound/card_delivery.py:_MOST_SUMMARY",
        "dingtalk/question_layout.py:MOST_BUTTONS",
        "dingtalk/question_layout.py:MOST_LABEL",
        "dingtalk/registration.py:MOST_REASON",
        "dingtalk/user_lookup.py:_MOST_CORP",
        "feishu/channel.py:_MOST_SAID",
        "slack/agent_api.py:MOST_ROOTS",
        "slack/api.py:MOST_PAGES",
        "slack/channel.py:MOST_TITLES",
        "slack/outbound/agent_session.py:MOST_RENEWALS",
        "slack/file_objects.py:MOST_FILES",
        "slack/file_objects.py:MOST_TRANSCRIPT",
        "slack/outbound/task_cards.py:MOST_CARDS",
        "slack/users.py:MOST_AT_ONCE",
    }
)
"""Bounds that no platform sets. What bounds the reading, in `inbound`, is ours unless it is in ROWS."""
_LOOKS = re.compile(r"_?(MAX|MOST)_")
_RECKONED = {
    ast.Mult: operator.mul,
    ast.Sub: operator.sub,
    ast.Add: operator.add,
    ast.LShift: operator.lshift,
}


def constants(platform: str) -> Iterator[tuple[str, int | float]]:
    """Yield each constant of a channel that is a number."""
    for path in sorted((ROOT / "channels" / platform).rglob("*.py")):
        for node in parsed(path).body:
            if isinstance(node, ast.Assign) and (value := _number(node.value)) is not None:
                name = path.relative_to(ROOT / "channels").as_posix()
                yield from (
                    (f"{name}:{each.id}", value) for each in node.targets if isinstance(each, ast.Name)
                )


def looks_like_a_limit(constant: str) -> bool:
    """Tell whether a constant, not of the reading, has a name as limits have."""
    return "/inbound/" not in constant and bool(_LOOKS.match(constant.rsplit(":", 1)[1]))


def _number(node: ast.expr) -> int | float | None:
    """Return the value of a number, written out or reckoned."""
    if isinstance(node, ast.Constant):
        value = node.value
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if isinstance(node, ast.BinOp) and type(node.op) in _RECKONED:
        left, right = _number(node.left), _number(node.right)
        return None if left is None or right is None else _RECKONED[type(node.op)](left, right)
    return None


FOUND = {name: value for platform in PLATFORMS for name, value in constants(platform)}


def too_much(constant: str, value: float) -> bool:
    """Tell whether a constant is above its row."""
    return value > load_limits(constant.split("/", 1)[0])[ROWS[constant]].number


@pytest.mark.parametrize("constant", sorted(ROWS))
def test_no_constant_is_above_its_row(constant):
    assert constant in FOUND, "it is there no more: mend the table above"
    row = load_limits(constant.split("/", 1)[0])[ROWS[constant]]
    assert not too_much(constant, FOUND[constant]), f"{constant} is above {row}"


def test_every_limit_is_a_platforms_or_ours():
    unknown = {name for name in FOUND if looks_like_a_limit(name)} - set(ROWS) - OURS
    assert unknown == set(), "name its row in ROWS, or say in OURS that it is ours"


def test_what_is_said_to_be_ours_is_there():
    assert set(FOUND) >= OURS
    assert not OURS & set(ROWS)


@pytest.mark.parametrize("constant", sorted(ROWS))
def test_one_more_than_the_row_would_be_seen(constant):
    row = load_limits(constant.split("/", 1)[0])[ROWS[constant]]
    assert too_much(constant, row.number + 1)
    assert not too_much(constant, row.number)
