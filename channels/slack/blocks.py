"""What a message holds, with buttons or without, in ever plainer forms should Slack refuse some. Pure.

A message that had buttons is changed to blocks, too: where it is changed by a text alone, Slack keeps the
blocks that were there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from parley.channels.kit.markdown.events import has_table
from parley.channels.kit.markdown.split import split
from parley.channels.slack.formatting import WHOLE_MESSAGE, MessageRoom, escape_plain, split_messages
from parley.channels.slack.modal import ModalContext, edit_button
from parley.core.model.feedback import FeedbackChoice
from parley.core.model.questions import Option, Question, suggestion_question
from parley.core.model.types import Json, JsonObject, OutboundMessage
from parley.core.texts import Sentence, language_of, say

OPTION_ACTION = "parley_answer"
"""How the action ids of a question's options begin."""
MAX_TEXT_WITH_BUTTONS = 9_000
"""Characters of text above buttons: Slack refuses messages whose blocks hold about 13,000 in all."""
MOST_LABEL = 75
MOST_VALUE = 2_000
MOST_IN_ROW = 25
_MOST_SECTION = 3_000
MAX_PLAIN_TEXT = 4_000
"""Characters of `text`, as it is escaped: more of it is refused in a change."""
_PREVIEW = MAX_PLAIN_TEXT // len("&amp;")
_STYLES = {"approve": "primary", "reject": "danger"}


FEEDBACK_ACTION = "parley_feedback"
"""The action id of the thumbs under an answer."""


@dataclass(frozen=True, slots=True)
class BlockButton:
    """What can be pressed; `value` comes back with the press. A `style` is Slack's, "" for none."""

    action: str
    label: str
    value: str
    style: str = ""


def buttons_of(question: Question | None, language: str) -> tuple[BlockButton, ...]:
    """Return a button for each option, and one to change the arguments where they fit into a form."""
    if question is None or not question.options:
        return ()
    buttons = [
        BlockButton(
            f"{OPTION_ACTION}:{number}",
            _label(number, option),
            _value(question, option),
            _STYLES.get(option.id, ""),
        )
        for number, option in enumerate(question.options, start=1)
        if _fits(question, option)
    ]
    change = (
        edit_button(ModalContext(question.id, language), question.arguments) if question.may_edit else None
    )
    if change is not None:
        buttons.append(BlockButton(*change))
    return tuple(buttons)


def options_list(question: Question | None) -> str:
    """Return the options in full, to stand above the buttons where those cannot say it all; else ""."""
    options = () if question is None else question.options
    if question is None or all(_fits(question, each) and len(each.label) <= MOST_LABEL for each in options):
        return ""
    lines = (f"{number}. {option.label}" for number, option in enumerate(options, start=1))
    return "\n\n" + "\n".join(lines)


def split_parts(text: str, *, buttons: bool, room: MessageRoom = WHOLE_MESSAGE) -> tuple[str, ...]:
    """Return a (safe) text as messages; with `buttons` there is room for them under the last."""
    pages = split_messages(text, (), room)
    if not buttons or not pages or len(pages[-1]) <= MAX_TEXT_WITH_BUTTONS:
        return pages
    return (*pages[:-1], *split(pages[-1], MAX_TEXT_WITH_BUTTONS))


def fit_into(text: str, count: int, room: MessageRoom = WHOLE_MESSAGE) -> tuple[str, ...]:
    """Return a text as at most so many messages; of one too long, what is before its end is left out."""
    for buttons in (False, True):
        pages = split_parts(text, buttons=buttons, room=room)
        if len(pages) == count:
            return pages
    pages = split_messages(text, (), room)
    if len(pages) <= count:
        return pages
    rest = "\n\n".join(pages[count - 1 :])
    return (*pages[: count - 1], f"…{rest[1 - room.most :]}")


def text_forms(markdown: str) -> tuple[dict[str, Json], ...]:
    """Return what to send for a text: markdown, or bare words where Slack does not take it so.

    Slack draws tables in a markdown block, not surely in `markdown_text`. A change has no `mrkdwn` argument,
    so there the words stand in blocks that are plain text.
    """
    markdown_text: dict[str, Json] = {"markdown_text": markdown}
    forms = (markdown_text, _plain_words(markdown), _last_form(markdown))
    return (_block_form(markdown), *forms) if has_table(markdown) else forms


def button_forms(markdown: str, buttons: Sequence[BlockButton]) -> tuple[dict[str, Json], ...]:
    """Return what to send for a text with these buttons, or with none any more, best first."""
    starts = range(0, len(buttons), MOST_IN_ROW)
    rows: list[Json] = [_row(buttons[start : start + MOST_IN_ROW]) for start in starts]
    words = _plain_words(markdown, rows)
    labels = "\n".join(f"• {button.label}" for button in buttons)
    return (
        words | {"blocks": [{"type": "markdown", "text": markdown}, *rows]},
        words,
        _last_form(f"{markdown}\n\n{labels}".strip()),
    )


def answer_foot(snapshot: OutboundMessage, language: str) -> tuple[dict[str, Json], ...]:
    """Return the blocks under an answer: thumbs, and what may be asked next."""
    thumbs = (_feedback_block(snapshot.turn_id, language),) if snapshot.rateable else ()
    suggestions = buttons_of(suggestion_question(snapshot.turn_id, snapshot.suggestions), language)
    return (*thumbs, _row(suggestions)) if suggestions else thumbs


def _feedback_block(turn: str, language: str) -> dict[str, Json]:
    """Return the thumbs for a turn's answer."""
    buttons: dict[str, Json] = {
        f"{name}_button": {
            "text": {"type": "plain_text", "text": say(language_of(language), words)},
            "value": json.dumps([turn, choice.value], ensure_ascii=False),
        }
        for name, words, choice in (
            ("positive", Sentence.FEEDBACK_UP, FeedbackChoice.UP),
            ("negative", Sentence.FEEDBACK_DOWN, FeedbackChoice.DOWN),
        )
    }
    element: dict[str, Json] = {"type": "feedback_buttons", "action_id": FEEDBACK_ACTION, **buttons}
    return {"type": "context_actions", "elements": [element]}


def footed_forms(markdown: str, foot: Sequence[JsonObject]) -> tuple[dict[str, Json], ...]:
    """Return what to send for a text with these blocks under it, without them where Slack refuses them."""
    return (_block_form(markdown, foot), *text_forms(markdown)) if foot else text_forms(markdown)


def _block_form(markdown: str, foot: Sequence[JsonObject] = ()) -> dict[str, Json]:
    body: list[Json] = [{"type": "markdown", "text": markdown}, *(dict(block) for block in foot)]
    return {"text": escape_plain(markdown[:_PREVIEW]), "blocks": body}


def _plain_words(markdown: str, rows: Sequence[Json] = ()) -> dict[str, Json]:
    words: list[Json] = [_plain_section(each) for each in split(markdown, _MOST_SECTION)]
    return {"text": escape_plain(markdown[:_PREVIEW]), "blocks": [*words, *rows]}


def _last_form(text: str) -> dict[str, Json]:
    return {"text": escape_plain(text), "blocks": []}


def _row(buttons: Sequence[BlockButton]) -> dict[str, Json]:
    elements: list[Json] = [_element(button) for button in buttons]
    return {"type": "actions", "elements": elements}


def _element(button: BlockButton) -> dict[str, Json]:
    element: dict[str, Json] = {
        "type": "button",
        "action_id": button.action,
        "text": {"type": "plain_text", "text": button.label, "emoji": True},
        "value": button.value,
    }
    return element | ({"style": button.style} if button.style else {})


def _plain_section(text: str) -> dict[str, Json]:
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": True}}


def _label(number: int, option: Option) -> str:
    label = option.label.strip() or option.id
    # What is cut stands in full above, under this number.
    return label if len(label) <= MOST_LABEL else f"{number}. {label}"[: MOST_LABEL - 1] + "…"


def _value(question: Question, option: Option) -> str:
    return json.dumps([question.id, option.id], ensure_ascii=False)


def _fits(question: Question, option: Option) -> bool:
    return len(_value(question, option)) <= MOST_VALUE
