"""Templates of cards: which variables they declare, and which of those grow, hold buttons or are private."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object

PUBLIC_TEMPLATE = "382e4302-551d-4880-bf29-a30acfab2e71.schema"
"""DingTalk's own AI card, of which every app may make some."""
TEMPLATE = "00000000-0000-4000-8000-00000000card.schema"
"""An AI card."""
QUESTION_TEMPLATE = "00000000-0000-4000-8000-0000question.schema"
"""A card with a text, a group of buttons, and a text that each person sees their own of."""
STATUS = "flowStatus"
PENDING, GROWING, DONE = "1", "2", "3"


@dataclass(frozen=True)
class DingTalkCardTemplate:
    """A template. `text` is the variable that is shown ("" for the first that is given), and grows where it
    `streams`; `buttons` is the one with a group of buttons ("" for none). With `types` no other variables are
    taken. Of the `private` ones each person sees their own. Buttons are shown in the states
    `with_buttons`.
    """

    text: str = ""
    buttons: str = ""
    streams: bool = True
    types: Mapping[str, str] = field(default_factory=dict)
    private: frozenset[str] = frozenset()
    with_buttons: frozenset[str] = frozenset({GROWING, DONE})


def own_templates() -> dict[str, DingTalkCardTemplate]:
    """Return the templates that are there from the beginning, by id."""
    question = DingTalkCardTemplate("content", "buttons", streams=False, private=frozenset({"note"}))
    return {
        PUBLIC_TEMPLATE: DingTalkCardTemplate("msgContent"),
        TEMPLATE: DingTalkCardTemplate(),
        QUESTION_TEMPLATE: question,
    }


def read_template(file: str) -> DingTalkCardTemplate:
    """Return the template in a file, as the card platform imports it.

    Raises ValueError for one whose components show variables that it does not declare.
    """
    outer = as_object(json.loads(file))
    if (outer.get("type"), outer.get("mode")) != ("im", "card"):
        raise ValueError("the file holds no card for chats")
    inner = as_object(json.loads(str(outer.get("editorData"))))
    declared = [as_object(each) for each in as_list(inner.get("variableList"))]
    types = {str(each.get("name")): str(each.get("type")) for each in declared}
    parts = [
        part
        for root in as_list(as_object(inner.get("schema")).get("componentsTree"))
        for part in _parts(root)
    ]
    if missing := {name for part in parts for name in _variables(part)} - types.keys():
        raise ValueError(f"variables that are not declared: {sorted(missing)}")
    used = {str(as_object(each).get("componentName")) for each in _listed(inner)}
    if unknown := {str(part.get("componentName")) for part in parts} - used:
        raise ValueError(f"components that are not in the map: {sorted(unknown)}")
    grown = [part for part in parts if as_object(part.get("props")).get("isStreaming") is True]
    texts = {name for part in grown for name in _variables(part) if types[name] == "markdown"}
    if len(texts) != 1:
        raise ValueError("no single variable grows")
    return DingTalkCardTemplate(
        text=texts.pop(),
        buttons=next((name for name, kind in types.items() if kind == "buttonGroup"), ""),
        types=types,
        private=frozenset(str(each.get("name")) for each in declared if each.get("private") is True),
        with_buttons=frozenset(_states_with_buttons(parts)),
    )


def _states_with_buttons(parts: Iterable[JsonObject]) -> Iterator[str]:
    """Yield the states of the card in which a group of buttons is shown."""
    for part in parts:
        status = as_object(part.get("props")).get("status")
        inside = {each.get("componentName") for each in _parts(part)}
        if part.get("componentName") == "AICardStatusContainer" and "ButtonGroup" in inside:
            yield str(status)


def _listed(inner: JsonObject) -> list[Json]:
    return as_list(as_object(inner.get("schema")).get("componentsMap"))


def _parts(component: Json) -> Iterator[JsonObject]:
    found = as_object(component)
    yield found
    for child in as_list(found.get("children")):
        yield from _parts(child)


def _variables(component: JsonObject) -> Iterator[str]:
    """Yield the variables that a component is bound to, in its properties, conditions and texts."""
    waiting: list[Json] = [as_object(component.get("props"))]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if isinstance(name := value.get("variable"), str) and name:
                yield name
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and value.startswith("${") and value.endswith("}"):
            yield value[2:-1]
