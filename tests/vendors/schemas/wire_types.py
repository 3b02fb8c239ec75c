"""Records of the contract's wire as values with the types that Slack and Telegram declare for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from parley.core.model.types import Json
from tests.kit.wire_shapes import nested_json
from tests.vendors.schemas.typescript import TypedValue

Record = Mapping[str, Json]
_ATTACHED = re.compile(r"attach://(\w+)")
_SLACK = "slack-web-api-8/dist/types"
_PRESSES = {
    "block_actions": "BlockAction",
    "message_action": "MessageShortcut",
    "view_submission": "ViewSubmitAction",
}
SLACK_IMPORTS = (
    f'import type * as Asked from "{_SLACK}/request"; import type * as Answered from "{_SLACK}/response"; '
    'import type { GenericMessageEvent, SlackEvent } from "@slack/types"; '
    'import type { BlockAction, MessageShortcut, SlashCommand, ViewSubmitAction } from "@slack/bolt";'
)
TELEGRAM_IMPORTS = 'import type { ApiError, ApiMethods, Opts, Update } from "@grammyjs/types";'


def slack_values(records: Sequence[Record]) -> Iterator[TypedValue]:
    """Yield arguments and answers of calls, events, and what people press, fill in and write as commands."""
    for record in records:
        yield from _slack_interaction(record)
        path = str(record.get("path", ""))
        if record["kind"] == "call" and path.startswith("/api/"):
            yield from _slack_call(path.removeprefix("/api/"), record)
        elif (event := _slack_event(record)) is not None:
            kind, subtype = (str(_object(event).get(name) or "") for name in ("type", "subtype"))
            wanted = f'Extract<SlackEvent, {{type: "{kind}"; subtype: "{subtype}"}}>'
            if not subtype:
                named = f'Extract<SlackEvent, {{type: "{kind}"}}>'
                wanted = "GenericMessageEvent" if kind == "message" else named
            yield TypedValue(event, f"Partly<{wanted}>", f"event {subtype or kind}")


def _slack_call(method: str, record: Record) -> Iterator[TypedValue]:
    name = "".join(part[:1].upper() + part[1:] for part in method.split("."))
    given = _object(record["body"]) | _decoded(_object(record["query"]))
    arguments = f"Asked.{name}Arguments"
    kind = arguments if record["encoding"] == "json" else f"Spelled<{arguments}>"
    yield TypedValue(given, kind, f"call {method}")
    if isinstance(record["response"], dict):
        yield TypedValue(record["response"], f"Partly<Answered.{name}Response>", f"answer to {method}")


def _slack_interaction(record: Record) -> Iterator[TypedValue]:
    data = _object(record.get("data"))
    posted = record["kind"] == "post"
    payload = _object(nested_json(data.get("payload")) if posted else data.get("payload"))
    if data.get("type") == "slash_commands" or (posted and "command" in data):
        yield TypedValue(data if posted else payload, "Partly<SlashCommand>", "slash command")
    elif data.get("type") == "interactive" or (posted and payload):
        kind = str(payload.get("type"))
        yield TypedValue(payload, f"Partly<{_PRESSES.get(kind, 'never')}>", kind)


def _slack_event(record: Record) -> Json:
    data = _object(record.get("data"))
    inner = _object(data.get("payload")) if record["kind"] == "frame" else data
    return inner.get("event") if record["kind"] != "call" else None


def telegram_values(records: Sequence[Record]) -> Iterator[TypedValue]:
    """Yield arguments and results of calls, and updates."""
    for record in records:
        if record["kind"] == "post":
            yield TypedValue(record["data"], "Partly<Update>", "update")
        elif record["kind"] == "call" and record["method"] == "POST":
            yield from _telegram_call(str(record["path"]).rsplit("/", 1)[1], record)


def _telegram_call(method: str, record: Record) -> Iterator[TypedValue]:
    body = _object(record["body"])
    said = " ".join(each for each in body.values() if isinstance(each, str))
    attached = {name for name in body if f"attach://{name}" in said}
    for missing in sorted(set(_ATTACHED.findall(said)) - attached):
        yield TypedValue(f"attach://{missing}", "never", f"call {method}: a part that is not there")
    body |= _object(record["query"])
    given = {name: _no_file(each) for name, each in _decoded(body).items() if name not in attached}
    yield TypedValue(given, f'Spelled<Opts<string>["{method}"]>', f"call {method}")
    answer = _object(record["response"])
    if answer.get("ok") is True:
        kind = f'Partly<ReturnType<ApiMethods<string>["{method}"]>>'
        yield TypedValue(answer["result"], kind, f"answer to {method}")
    elif answer:
        yield TypedValue(answer, "ApiError", f"refusal of {method}")


def _no_file(value: Json) -> Json:
    return "attach://file" if isinstance(value, dict) and set(value) == {"file", "size"} else value


def _decoded(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return values of a form, those read that are JSON in a text."""
    return {name: value if (found := nested_json(value)) is None else found for name, value in values.items()}


def _object(value: Json) -> dict[str, Json]:
    return dict(value) if isinstance(value, dict) else {}
