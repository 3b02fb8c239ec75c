"""A question's card: its words, its buttons, and what each of them sends back. Pure."""

from __future__ import annotations

from dataclasses import replace

from parley.channels.dingtalk.formatting import VARIABLE_BYTES, variable_parts, wire_bytes
from parley.channels.kit.fields import compact_json
from parley.channels.kit.markdown.split import split
from parley.channels.kit.text import byte_length, shorten
from parley.core.model.feedback import FEEDBACK_QUESTION, THUMBS
from parley.core.model.questions import (
    STOP_OPTION,
    STOP_QUESTION,
    SUGGESTION_QUESTION,
    Option,
    Question,
    suggestion_question,
)
from parley.core.model.types import Json, JsonObject, OutboundMessage, ReplyTarget
from parley.core.texts import Sentence, language_of, say

WORDS, BUTTONS, NOTE = "content", "buttons", "note"
"""The variables of a question template. NOTE is private: it holds what one person alone is told."""
OPTION, TOPIC, PRIVATE, HOME, LANGUAGE = "option", "topic", "private", "home", "language"
"""What a button sends back, as texts."""
MOST_BUTTONS = 20
MOST_LABEL = 60
BUTTON_ROOM = 300
"""Bytes that a question's last card leaves for what is said once it is decided."""
_COLORS = {"approve": "blue", "reject": "red"}
_ANSWER = "parley-"
_PREFIX = "parley-ask-"
_ACTION = "answer-"
_SUGGESTED = "next_"
"""How the option of a suggestion begins: a card tells its answer's turn, not which buttons stood there."""


def out_track_id(question: str, index: int) -> str:
    """Return the `outTrackId` of one of a question's cards; DingTalk tells it with each press."""
    return f"{_PREFIX}{question}-{index}"


def question_id_in(track: str) -> str:
    """Return the question that a card is of; "" for other cards."""
    return track.removeprefix(_PREFIX).rpartition("-")[0] if track.startswith(_PREFIX) else ""


def answered_turn_in(track: str) -> str:
    """Return the turn that a card's answer is of; "" for other cards."""
    known = track.startswith(_ANSWER) and not track.startswith(_PREFIX)
    return track.removeprefix(_ANSWER).rpartition("-")[0] if known else ""


def answer_track_id(turn: str, index: int) -> str:
    """Return the `outTrackId` of one of the cards of a turn's answer."""
    return f"{_ANSWER}{turn}-{index}"


def action_values(action: str) -> JsonObject:
    """Return what the name of an action alone says of a press; nothing for names that are not ours."""
    if not action.startswith(_ACTION):
        return {}
    place, _, rest = action.removeprefix(_ACTION).partition("-")
    option = rest.rpartition("-")[0]
    return {OPTION: option, PRIVATE: "yes" if place == "p" else ""} if option else {}


def buttons_of(question: Question, target: ReplyTarget, home: str) -> tuple[JsonObject, ...]:
    """Return a button for each option; none at all where they are too many or too long.

    `home` is our organisation ("" where nobody has told it yet).
    """
    made = tuple(_button(option, _sent(option, target, home)) for option in question.options)
    fits = len(made) <= MOST_BUTTONS and byte_length(encode_buttons(made)) <= VARIABLE_BYTES
    return made if fits else ()


def fitting_buttons(question: Question, target: ReplyTarget, home: str) -> tuple[JsonObject, ...]:
    """Return a button for each of the first options that there is room for."""
    for count in range(len(question.options), 0, -1):
        if made := buttons_of(replace(question, options=question.options[:count]), target, home):
            return made
    return ()


def answer_buttons(snapshot: OutboundMessage) -> Question | None:
    """Return what stands under an answer, as one question: thumbs, and what may be asked next.

    A card has one list of buttons; `under_answer` tells what a pressed one is of.
    """
    thumbs = THUMBS if snapshot.rateable else ()
    suggested = suggestion_question(snapshot.turn_id, snapshot.suggestions).options
    options = (*thumbs, *(Option(f"{_SUGGESTED}{each.id}", each.label) for each in suggested))
    return Question(snapshot.turn_id, "", options) if options else None


def under_answer(turn: str, option: str) -> tuple[str, str]:
    """Return the question and the option of a button that stood under a turn's answer."""
    if option == STOP_OPTION:
        return f"{STOP_QUESTION}{turn}", option
    if option.startswith(_SUGGESTED):
        return f"{SUGGESTION_QUESTION}{turn}", option.removeprefix(_SUGGESTED)
    return f"{FEEDBACK_QUESTION}{turn}", option


def encode_buttons(buttons: tuple[JsonObject, ...]) -> str:
    """Return buttons as the value of their variable."""
    return compact_json(buttons)


def with_options_as_text(question: Question, text: str, language: str) -> str:
    """Return the text with the options that have no buttons, and how to choose one."""
    if not question.options:
        return text
    lines = [f"{number}. {option.label}" for number, option in enumerate(question.options, start=1)]
    how = say(language_of(language), Sentence.QUESTION_HOW)
    return "\n\n".join((text, "\n".join((how, *lines))))


def split_question(text: str) -> tuple[str, ...]:
    """Return a question's words as one card's text after the other, with room under the last one."""
    texts = variable_parts(text) or ("…",)
    return (*texts[:-1], *split(texts[-1], VARIABLE_BYTES - BUTTON_ROOM, wire_bytes))


def settled_parts(text: str, count: int) -> tuple[str, ...]:
    """Return a decided question's words for the `count` cards that stand; its end is in the last of them."""
    texts = split_question(text)
    if len(texts) != count:
        texts = variable_parts(text) or ("…",)
    if len(texts) > count:
        # Somebody decided with very many words, which stand in the chat anyway.
        return (*texts[: count - 1], f"{texts[count - 1]}\n\n…")
    return (*texts[:-1], *("…" for _ in range(count - len(texts))), texts[-1])


def _button(option: Option, sent: JsonObject) -> JsonObject:
    """Return a button of the platform's kind; DingTalk adds the button's number to `actionId`."""
    action = f"{_ACTION}{'p' if PRIVATE in sent else 'g'}-{option.id}-"
    request: Json = {"actionId": action, "params": dict(sent)}
    event: Json = {"type": "sendCardRequest", "params": request}
    return {
        "text": shorten(option.label.strip() or option.id, MOST_LABEL),
        "color": _COLORS.get(option.id, "gray"),
        "status": "normal",
        "event": event,
    }


def _sent(option: Option, target: ReplyTarget, home: str) -> JsonObject:
    """Return what DingTalk hands back. Which card, which chat and who pressed it says by itself."""
    sent = {
        OPTION: option.id,
        TOPIC: target.conversation.topic or "",
        PRIVATE: "yes" if target.private else "",
        HOME: home,
        LANGUAGE: target.asker.language,
    }
    return {key: value for key, value in sent.items() if value}
