"""The form in which people change an action's arguments: the button to it, the modal, what is sent. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

from parley.channels.kit.fields import object_at
from parley.channels.slack.fields import required_text_at, text_at
from parley.core.model.types import Json, JsonObject
from parley.core.texts import Sentence, language_of, say

EDIT_ACTION = "parley_change"
"""The action id of the button."""
CALLBACK_ID = "parley_form"
"""The modal's callback id."""
FIELD = "arguments"
"""The block that holds the one field."""
_MOST_VALUE = 2_000
_MOST_INPUT = 3_000


@dataclass(frozen=True, slots=True)
class ModalContext:
    """Which question a form is for, its language, and the chat and thread ("" for none) that it came from."""

    question: str
    language: str
    chat: str = ""
    thread: str = ""

    def dump(self) -> str:
        """Return it as a short text, for `private_metadata`."""
        return json.dumps([self.question, self.language, self.chat, self.thread])

    @classmethod
    def load(cls, noted: str) -> ModalContext:
        """Return the inverse. Raises ValueError, TypeError."""
        question, language, chat, thread = map(str, json.loads(noted))
        return cls(question, language_of(language), chat, thread)


@dataclass(frozen=True, slots=True)
class ModalRequest:
    """A press of the button: the form to open by `trigger`, filled with `arguments`."""

    trigger: str
    form: ModalContext
    arguments: str


def edit_button(form: ModalContext, arguments: str) -> tuple[str, str, str] | None:
    """Action id, label and value of the button; None where the arguments are too long to be carried by it.

    Whoever opens the form has three seconds: too few to look anything up.
    """
    language = language_of(form.language)
    value = json.dumps([form.question, language, _compact(arguments)], ensure_ascii=False)
    return (EDIT_ACTION, say(language, Sentence.FORM_OPEN), value) if len(value) <= _MOST_VALUE else None


def parse_edit_button(action: JsonObject, body: JsonObject, chat: str, thread: str) -> ModalRequest:
    """Return the press of that button. Raises ValueError, TypeError."""
    question, language, arguments = map(str, json.loads(required_text_at(action, "value")))
    form = ModalContext(question, language_of(language), chat, thread)
    return ModalRequest(required_text_at(body, "trigger_id"), form, arguments)


def build_modal(opening: ModalRequest) -> dict[str, Json]:
    """Return the form as a view."""
    form = opening.form
    return {
        "type": "modal",
        "callback_id": CALLBACK_ID,
        "private_metadata": form.dump(),
        "title": _plain(say(form.language, Sentence.FORM_TITLE)),
        "submit": _plain(say(form.language, Sentence.OPTION_APPROVE)),
        "close": _plain(say(form.language, Sentence.FORM_CANCEL)),
        "blocks": [
            {
                "type": "input",
                "block_id": FIELD,
                "label": _plain(say(form.language, Sentence.FORM_FIELD)),
                "element": {
                    "type": "plain_text_input",
                    "action_id": FIELD,
                    "multiline": True,
                    "max_length": _MOST_INPUT,
                    "initial_value": _pretty(opening.arguments),
                },
            }
        ],
    }


def parse_submission(body: JsonObject) -> tuple[ModalContext, str]:
    """Return a form and what was written into it. Raises ValueError, TypeError, LookupError."""
    view = object_at(body, "view")
    if text_at(view, "callback_id") != CALLBACK_ID:
        raise ValueError("no form of ours")
    field = object_at(object_at(object_at(object_at(view, "state"), "values"), FIELD), FIELD)
    return ModalContext.load(required_text_at(view, "private_metadata")), text_at(field, "value")


def invalid_json_response(form: ModalContext) -> dict[str, str]:
    """Return what stands under the field when it holds no JSON object."""
    return {FIELD: say(form.language, Sentence.QUESTION_UNREADABLE).replace("`", "")}


def _plain(words: str) -> dict[str, Json]:
    return {"type": "plain_text", "text": words}


def _compact(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return arguments


def _pretty(arguments: str) -> str:
    try:
        shown = json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments
    return shown if len(shown) <= _MOST_INPUT else arguments
