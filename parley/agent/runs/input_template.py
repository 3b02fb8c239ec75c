"""The input of graphs that do not take messages: what the settings say, with the person's words in place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from parley.agent.stream.content_text import text_of
from parley.agent.stream.graph_shape import GraphShape
from parley.core.model.types import Json, JsonObject, RunRequest

_PLACE = re.compile(r"\{(text|files|person|name|account|platform|memory|earlier)\}")
_BLOCKS, _MESSAGES = "{files}", "{messages}"


def input_template(configured: JsonObject, shape: GraphShape) -> JsonObject:
    """The configured input, else that of a graph with one plain field; empty for messages."""
    if configured or not shape.question:
        return configured
    return {shape.question: "{text}{files}"}


def takes_pictures(template: Json | JsonObject) -> bool:
    """Whether an input has a place for content blocks."""
    if isinstance(template, Mapping):
        return not template or any(map(takes_pictures, template.values()))
    if isinstance(template, list):
        return any(map(takes_pictures, template))
    return template in (_BLOCKS, _MESSAGES)


def fill_input(
    template: JsonObject, request: RunRequest, files: Sequence[Json], messages: Sequence[Json]
) -> dict[str, Json]:
    """The input of a run. What a person wrote is put in place once, and not read again."""
    if not template:
        return {"messages": list(messages)}
    texts = [text_of(block) for block in files]
    places = {
        "text": request.text,
        "files": "".join(f"\n\n{text}" for text in texts if text),
        "person": request.identity.person if request.identity else "",
        "name": request.person.name,
        "account": request.person.id,
        "platform": request.identity.platform if request.identity else request.person.channel,
        "memory": request.memory,
        "earlier": request.earlier,
    }
    whole: dict[str, Json] = {_BLOCKS: list(files), _MESSAGES: list(messages)}
    return {key: _filled(value, places, whole) for key, value in template.items()}


def _filled(value: Json, places: Mapping[str, str], whole: Mapping[str, Json]) -> Json:
    if isinstance(value, str):
        if value in whole:
            return whole[value]
        return _PLACE.sub(lambda found: places[found[1]], value).strip() if "{" in value else value
    if isinstance(value, list):
        return [_filled(each, places, whole) for each in value]
    if isinstance(value, dict):
        return {key: _filled(each, places, whole) for key, each in value.items()}
    return value
