"""Blocks and views: what Slack takes of them, and what people see. Its limits are those of its reference."""

from __future__ import annotations

import html

from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object
from parley.simulator.kit.limits import load_limits
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.rendering.markup import render_markdown, render_mrkdwn

_LIMITS = load_limits("slack")
_MOST_BLOCKS = _LIMITS["blocks"].whole
_MOST_IN_VIEW = _LIMITS["view_blocks"].whole
_MOST_IN_ALL = _LIMITS["blocks_text"].whole
_MOST_MARKDOWN = _LIMITS["markdown_block"].whole
_MOST_SECTION = _LIMITS["section_text"].whole
_MOST_ELEMENTS = _LIMITS["actions_elements"].whole
_MOST_CONTEXT_ACTIONS = _LIMITS["context_actions_elements"].whole
_MOST_ID = _LIMITS["action_id"].whole
_MOST_LABEL = _LIMITS["button_text"].whole
_MOST_VALUE = _LIMITS["button_value"].whole
_MOST_TITLE = _LIMITS["view_title"].whole
_MOST_INPUT = _LIMITS["plain_text_input"].whole
_MOST_METADATA = _LIMITS["view_metadata"].whole
_MOST_FIELD_LABEL = _LIMITS["input_label"].whole
_STYLES = (None, "primary", "danger")


def check_blocks(blocks: list[Json]) -> None:
    """Raise SlackErrorResponse for blocks that Slack would not take in a message."""
    if len(blocks) > _MOST_BLOCKS:
        raise SlackErrorResponse("invalid_blocks")
    for block in blocks:
        if not isinstance(block, dict) or not _is_sound(block):
            raise SlackErrorResponse("invalid_blocks")
    markdown = sum(_length(block) for block in blocks if _is(block, "markdown"))
    if markdown > _MOST_MARKDOWN or sum(map(_length, blocks)) > _MOST_IN_ALL:
        raise SlackErrorResponse("msg_blocks_too_long")


def check_view(view: JsonObject) -> None:
    """Raise SlackErrorResponse for a view that Slack would not open as a modal with input blocks."""
    inputs = as_list(view.get("blocks"))
    sound = (
        view.get("type") == "modal"
        and _is_text(view.get("title"), _MOST_TITLE)
        and _is_text(view.get("submit"), _MOST_TITLE)
        and (view.get("close") is None or _is_text(view.get("close"), _MOST_TITLE))
        and len(str(view.get("private_metadata") or "")) <= _MOST_METADATA
        and len(str(view.get("callback_id") or "")) <= _MOST_ID
        and 0 < len(inputs) <= _MOST_IN_VIEW
        and all(_is_input(block) for block in inputs)
    )
    if not sound:
        raise SlackErrorResponse("invalid_arguments")


def check_home(view: JsonObject) -> None:
    """Raise SlackErrorResponse for a view that Slack would not show as a home tab."""
    blocks = as_list(view.get("blocks"))
    if view.get("type") != "home" or not 0 < len(blocks) <= _MOST_IN_VIEW:
        raise SlackErrorResponse("invalid_arguments")
    # A markdown block is for messages only (docs.slack.dev/reference/block-kit/blocks/markdown-block).
    kinds = all(_is(block, "section") or _is(block, "divider") or _is(block, "actions") for block in blocks)
    if not kinds or not all(_is_sound(as_object(block)) for block in blocks):
        raise SlackErrorResponse("invalid_arguments")


def render_blocks(blocks: list[Json]) -> tuple[str, tuple[str, ...]]:
    """Return what people read of blocks, and what of it is set as code."""
    texts: list[str] = []
    code: list[str] = []
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "markdown":
            text, marked = render_markdown(str(block["text"]))
            texts.append(text)
            code += marked
        elif isinstance(block, dict) and block.get("type") == "section":
            texts.append(_read(block.get("text")))
    return "\n\n".join(texts), tuple(code)


def label_text(of: Json) -> str:
    """Return the words of a text object."""
    return str(as_object(of).get("text", ""))


def _read(text: Json) -> str:
    if isinstance(text, dict) and text.get("type") == "mrkdwn":
        return render_mrkdwn(label_text(text), marked=True)
    return html.unescape(label_text(text))


def _is(block: Json, kind: str) -> bool:
    return as_object(block).get("type") == kind


def _is_sound(block: JsonObject) -> bool:
    match block.get("type"):
        case "markdown":
            return bool(str(block.get("text") or "").strip())
        case "section":
            return _is_text(block.get("text"), _MOST_SECTION, "plain_text", "mrkdwn")
        case "divider":
            return True
        case "context_actions":
            return _are_context_actions(block.get("elements"))
        case "actions":
            return _is_row(block.get("elements"))
    return False


def _is_row(elements: Json) -> bool:
    row = [each for each in as_list(elements) if isinstance(each, dict)]
    ids = [each.get("action_id") for each in row if each.get("action_id")]
    return (
        0 < len(row) <= _MOST_ELEMENTS and len(ids) == len(set(map(str, ids))) and all(map(_is_button, row))
    )


def _are_context_actions(elements: Json) -> bool:
    row = [each for each in as_list(elements) if isinstance(each, dict)]
    return 0 < len(row) <= _MOST_CONTEXT_ACTIONS and all(map(_is_feedback, row))


def _is_feedback(element: JsonObject) -> bool:
    buttons = [as_object(element.get(name)) for name in ("positive_button", "negative_button")]
    return (
        element.get("type") == "feedback_buttons"
        and 0 < len(str(element.get("action_id") or "")) <= _MOST_ID
        and all(_is_text(button.get("text"), _MOST_LABEL) for button in buttons)
        and all(0 < len(str(button.get("value") or "")) <= _MOST_VALUE for button in buttons)
    )


def _is_button(element: JsonObject) -> bool:
    return (
        element.get("type") == "button"
        and _is_text(element.get("text"), _MOST_LABEL)
        and len(str(element.get("action_id") or "")) <= _MOST_ID
        and len(str(element.get("value") or "")) <= _MOST_VALUE
        and element.get("style") in _STYLES
    )


def _is_input(block: Json) -> bool:
    if not isinstance(block, dict) or block.get("type") != "input":
        return False
    element = block.get("element")
    if not isinstance(element, dict) or element.get("type") != "plain_text_input":
        return False
    most = element.get("max_length", _MOST_INPUT)
    return (
        _is_text(block.get("label"), _MOST_FIELD_LABEL)
        and isinstance(most, int)
        and 0 < most <= _MOST_INPUT
        and len(str(element.get("initial_value") or "")) <= most
    )


def _is_text(text: Json, most: int, *kinds: str) -> bool:
    if not isinstance(text, dict) or text.get("type") not in (kinds or ("plain_text",)):
        return False
    return 0 < len(label_text(text)) <= most


def _length(block: Json) -> int:
    if not isinstance(block, dict):
        return 0
    inside = sum(map(_length, as_list(block.get("elements"))))
    text = block.get("text")
    return inside + len(text if isinstance(text, str) else label_text(text))
