"""A question's card: its words, then a button for each option, and a form for other arguments. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

from parley.channels.feishu import formatting
from parley.channels.feishu.formatting import MAX_CARD_BYTES, measure, render
from parley.channels.kit.markdown.split import split
from parley.channels.kit.text import byte_length, shorten
from parley.core.model.feedback import FEEDBACK_QUESTION, FeedbackChoice, is_words_prompt, thumbs_question
from parley.core.model.questions import EDIT, Option, Question, stop_question, suggestion_question
from parley.core.model.types import Json, JsonObject, OutboundMessage, ReplyTarget
from parley.core.texts import Sentence, say

QUESTION, OPTION, TOPIC, PRIVATE = "q", "o", "t", "p"
"""Keys of what a button sends back."""
INPUT = "arguments"
"""The name of the form's input."""
MOST_LABEL = 100
MOST_INPUT = 1000
MOST_CARD_BYTES = 29_500
"""Of a text with what stands under it; with all around it a card may have 30 kB."""
MOST_BUTTONS = 90
"""A card has 200 elements at most, and a button is two."""
MAX_FOOTER_BYTES = 20_000
FOOTER_ROOM = 6000
"""Bytes that a question's last message leaves for its foot, or for what is said once it is decided."""
_STYLES = {"approve": "primary", "reject": "danger"}
_SLACK = 300


@dataclass(frozen=True, slots=True)
class CardFooter:
    """What stands under a message's text: elements of a card, or `words` where cards are not to be had."""

    elements: tuple[JsonObject, ...] = ()
    words: str = ""


NO_FOOTER = CardFooter()


def footer_for(question: Question, target: ReplyTarget) -> CardFooter:
    """Return buttons for a question asked at `target`, or its options as a list where there is no room."""
    words = "\n".join(f"{number}. {option.label}" for number, option in enumerate(question.options, start=1))
    if is_words_prompt(question):
        return CardFooter((_comment_form(question, target),))
    made = tuple(_button(option, _sent(question, option.id, target)) for option in question.options)
    if question.may_edit and 0 < len(question.arguments) <= MOST_INPUT:
        made = (*made, _form(question, target))
    fits = len(made) <= MOST_BUTTONS and _size(made) <= MAX_FOOTER_BYTES
    return CardFooter(made if fits else (), words)


def answer_footer(snapshot: OutboundMessage, text: str, target: ReplyTarget) -> CardFooter:
    """Return the thumbs and the suggestions under an answer, as far as its last card's text leaves room."""
    foot, turn = NO_FOOTER, target.turn_id
    if snapshot.rateable:
        foot = _with_row(foot, thumbs_question(turn), text, target)
    if snapshot.suggestions:
        foot = _with_row(foot, suggestion_question(turn, snapshot.suggestions), text, target)
    return foot


def _with_row(foot: CardFooter, question: Question, text: str, target: ReplyTarget) -> CardFooter:
    """Return a foot with a question's buttons as one more row; as it is where they are too much."""
    thumbs = question.id.startswith(FEEDBACK_QUESTION)
    columns: list[Json] = [
        {
            "tag": "column",
            "width": "auto",
            "elements": [
                {
                    **_button(option, _sent(question, option.id, target)),
                    "type": "text" if thumbs else "default",
                    "size": "small",
                }
            ],
        }
        for option in question.options
    ]
    row: JsonObject = {"tag": "column_set", "horizontal_spacing": "small", "columns": columns}
    if not thumbs:
        # Sentences wrap where a client's window is narrower than the row.
        row = {**row, "flex_mode": "flow"}
    more = CardFooter((*foot.elements, row))
    return more if fits_under(text, more) else foot


def stop_element(turn: str, target: ReplyTarget) -> JsonObject:
    """Return the stop button under an answer that grows, in the language of each person's own client."""
    question = stop_question(turn, say("en", Sentence.STOP_BUTTON))
    (option,) = question.options
    button = {**_button(option, _sent(question, option.id, target)), "size": "small"}
    languages: dict[str, Json] = {"en_us": option.label, "zh_cn": say("zh", Sentence.STOP_BUTTON)}
    button["text"] = {"tag": "plain_text", "content": option.label, "i18n_content": languages}
    return {**button, "element_id": "stop"}


def fits_under(text: str, foot: CardFooter) -> bool:
    """Return whether a card has room for a foot under this text, which is one card's."""
    return measure(text) + _size(foot.elements) + _SLACK <= MOST_CARD_BYTES


def split_question(text: str, foot: CardFooter = NO_FOOTER) -> tuple[str, ...]:
    """Return a question's text as one card's text after the other, with room for a foot under the last."""
    words = text if foot.elements or not foot.words else f"{text}\n\n{foot.words}"
    texts = render(words) or (formatting.THINKING,)
    most = MAX_CARD_BYTES - max(FOOTER_ROOM, _size(foot.elements) + _SLACK)
    return (*texts[:-1], *split(texts[-1], most, measure))


def question_card_json(text: str, foot: CardFooter) -> JsonObject:
    """Return a card that stands, with a foot."""
    whole = formatting.card(text, streaming=False)
    if not foot.elements:
        return whole
    words: Json = {"tag": "markdown", "element_id": formatting.ELEMENT_ID, "content": text}
    elements: list[Json] = [words, *(dict(element) for element in foot.elements)]
    return {**whole, "body": {"elements": elements}}


def text_with_footer(text: str, foot: CardFooter) -> str:
    """Return a part's text with its foot in words."""
    return "\n\n".join((text, *(render(foot.words) if foot.elements else ())))


def _sent(question: Question, option: str, target: ReplyTarget) -> dict[str, Json]:
    """Return what Feishu tells us when a button is pressed. It says in which chat by itself, but no more."""
    topic = target.conversation.topic or ""
    return {QUESTION: question.id, OPTION: option, TOPIC: topic, PRIVATE: target.private}


def _button(option: Option, sent: dict[str, Json]) -> JsonObject:
    style = _STYLES.get(option.id, "default")
    behaviors: list[Json] = [{"type": "callback", "value": sent}]
    return {
        "tag": "button",
        "type": style,
        "text": {"tag": "plain_text", "content": shorten(option.label, MOST_LABEL)},
        "behaviors": behaviors,
    }


def _form(question: Question, target: ReplyTarget) -> JsonObject:
    """Return an input with the arguments as they are, and a button that goes on with what it holds then."""
    shown: dict[str, Json] = {"default_value": question.arguments}
    return _input_form(shown, Sentence.FORM_SEND, _sent(question, EDIT, target))


def _comment_form(question: Question, target: ReplyTarget) -> JsonObject:
    """Return an input for what was wrong with an answer, and a button that sends it."""
    return _input_form({}, Sentence.FEEDBACK_SEND, _sent(question, FeedbackChoice.DOWN, target))


def _input_form(more: dict[str, Json], submit: Sentence, sent: dict[str, Json]) -> JsonObject:
    asked: dict[str, Json] = {
        "tag": "input",
        "name": INPUT,
        "input_type": "multiline_text",
        "max_length": MOST_INPUT,
        "required": True,
        "width": "fill",
        **more,
    }
    languages: dict[str, Json] = {"en_us": _submit("en", submit), "zh_cn": _submit("zh", submit)}
    button = dict(_button(Option(EDIT, _submit("en", submit)), sent))
    # In the language of each person's own client: whoever decides need not be who asked.
    button["text"] = {"tag": "plain_text", "content": _submit("en", submit), "i18n_content": languages}
    button |= {"name": "submit", "form_action_type": "submit"}
    return {"tag": "form", "name": EDIT, "elements": [asked, button]}


def _submit(language: str, words: Sentence) -> str:
    return f"✏️ {say(language, words)}"


def _size(elements: tuple[JsonObject, ...]) -> int:
    return byte_length(json.dumps(elements, ensure_ascii=False)) if elements else 0
