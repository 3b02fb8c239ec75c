"""One message as a LangGraph server sends it, read without trusting it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from parley.agent.stream.content_text import REASONING_BLOCKS, reasoning_of
from parley.agent.transport.decoding import read_text, string
from parley.core.model.types import Json


class MessageKind(Enum):
    """Whose words they are. Only ASSISTANT is ever shown, everything unknown is OTHER."""

    ASSISTANT = auto()
    TOOL = auto()
    HUMAN = auto()
    REMOVAL = auto()
    OTHER = auto()


MESSAGE_KINDS = {
    "ai": MessageKind.ASSISTANT,
    "assistant": MessageKind.ASSISTANT,
    "AIMessage": MessageKind.ASSISTANT,
    "AIMessageChunk": MessageKind.ASSISTANT,
    "tool": MessageKind.TOOL,
    "ToolMessage": MessageKind.TOOL,
    "ToolMessageChunk": MessageKind.TOOL,
    "human": MessageKind.HUMAN,
    "user": MessageKind.HUMAN,
    "HumanMessage": MessageKind.HUMAN,
    "HumanMessageChunk": MessageKind.HUMAN,
    "remove": MessageKind.REMOVAL,
    "RemoveMessage": MessageKind.REMOVAL,
}
_UNRENDERED = "do-not-render-"
_HANDED_BACK = "__is_handoff_back"
"""How langgraph-supervisor marks the words with which an agent hands back."""

_PRESENTS = "present_files"
_SERVER_CALLS = ("server_tool_use", "server_tool_call")
_SERVER_RESULT, _OWN_CALL = "_tool_result", "_call"
_CLIENT_CALLS = ("tool_call", "function_call")
"""Blocks of a tool that the model's provider runs itself: `web_search_tool_result`, `web_search_call`."""
_SPENT = "parley_spent"
_MOST_SPENT = 500
_MOST_TOKENS = 10**12
"""No model takes so many; more would not fit where they are counted."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a message asks for; `id` is empty where the server gives none."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """What we use of a message.

    `chunk` says that its type is a chunk's, `hidden` that it must not be shown (marked so, or written by
    middleware, such as a summary). `thinking` says that it has reasoning, `thoughts` are the words of it that
    its model lets be read. `call_id` and `failed` belong to a tool's result, and so does `artifact`, which
    its model does not see. `tokens` are those that its model read and wrote, where it says so, `model` is the
    model's name. `presented` are the paths of files that it shows to the person, `ended` the calls of tools
    that its provider has run. `spent` are the messages of models that a tool called, without their words.
    """

    kind: MessageKind
    id: str
    chunk: bool
    content: Json
    hidden: bool = False
    thinking: bool = False
    thoughts: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    name: str = ""
    failed: bool = False
    tokens: tuple[int, int] | None = None
    model: str = ""
    artifact: Json = None
    presented: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    spent: tuple[ThreadMessage, ...] = ()


def decode_json_text(data: Json) -> Json:
    """Some servers send JSON as a string of JSON; anything else is returned as it is."""
    if not isinstance(data, str):
        return data
    try:
        return read_text(data)
    except ValueError:
        return data


def _mapping(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def parse_message(raw: Json) -> ThreadMessage | None:
    """Read a message in any of the shapes servers send, or None where it is none.

    Plain (`type` or `role`), constructor-shaped (`lc`, `id`, `kwargs`), a `[role, content]` pair, or JSON in
    a string. Where a message names its kind twice, both must say the same.
    """
    raw = decode_json_text(raw)
    if isinstance(raw, list):
        raw = _pair(raw)
    if not isinstance(raw, dict):
        return None
    names = [raw.get("type"), raw.get("role")]
    if "kwargs" in raw or raw.get("type") == "constructor":
        path = raw.get("id")
        raw = _mapping(raw.get("kwargs"))
        names = [path[-1] if isinstance(path, list) and path else "", raw.get("type"), raw.get("role")]
    return _plain(raw, [string(name) for name in names if name is not None])


def _pair(raw: list[Json]) -> Json:
    if len(raw) == 2 and isinstance(raw[0], str):
        return {"type": raw[0], "content": raw[1]}
    return None


def _plain(raw: dict[str, Json], names: list[str]) -> ThreadMessage | None:
    kinds = {MESSAGE_KINDS.get(name, MessageKind.OTHER) for name in names}
    if not kinds:
        return None
    kind = kinds.pop() if len(kinds) == 1 else MessageKind.OTHER
    extra = _mapping(raw.get("additional_kwargs"))
    content = raw.get("content")
    identity = string(raw.get("id"))
    speaks = kind is MessageKind.ASSISTANT
    about = _mapping(raw.get("response_metadata")) if speaks else {}
    if speaks and not content:
        content = extra.get("refusal") or content
    thinking = bool(extra.get("reasoning_content")) or _reasons(content)
    return ThreadMessage(
        kind=kind,
        id=identity,
        chunk=any(name.endswith("Chunk") for name in names),
        content=content,
        hidden=identity.startswith(_UNRENDERED)
        or extra.get("hide_from_ui") is True
        or "lc_source" in extra
        or about.get(_HANDED_BACK) is True,
        thinking=thinking,
        thoughts=(reasoning_of(content) or string(extra.get("reasoning_content"))) if thinking else "",
        calls=(*_calls(raw), *_server_calls(content)) if speaks else (),
        call_id=string(raw.get("tool_call_id")),
        name=string(raw.get("name")),
        failed=raw.get("status") == "error",
        tokens=_tokens(raw, about) if speaks else None,
        model=string(about.get("model_name")) or string(about.get("model")),
        artifact=raw.get("artifact") if kind is MessageKind.TOOL else None,
        presented=_presented(raw, extra) if speaks else (),
        ended=_ended(content) if speaks else (),
        spent=_spent(extra) if kind is MessageKind.TOOL else (),
    )


def _spent(extra: dict[str, Json]) -> tuple[ThreadMessage, ...]:
    found = extra.get(_SPENT)
    parsed = (
        _plain(each, [string(each.get("type"))])
        for each in (found[:_MOST_SPENT] if isinstance(found, list) else ())
        if isinstance(each, dict)
    )
    return tuple(each for each in parsed if each and each.kind is MessageKind.ASSISTANT)


def _presented(raw: dict[str, Json], extra: dict[str, Json]) -> tuple[str, ...]:
    """Paths that DeerFlow's tool for it names, or its list beside a message."""
    calls, files = raw.get("tool_calls"), extra.get("files")
    if not calls and not files:
        return ()
    paths: list[Json] = []
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and call.get("name") == _PRESENTS:
            given = _mapping(call.get("args")).get("filepaths")
            paths += given if isinstance(given, list) else []
    for file in files if isinstance(files, list) else ():
        paths.append(_mapping(file).get("path"))
    return tuple(path for path in paths if isinstance(path, str) and path)


def _tokens(raw: dict[str, Json], about: dict[str, Json]) -> tuple[int, int] | None:
    """LangChain's own account of them, else the one that some providers give in their own words."""
    used = _mapping(raw.get("usage_metadata"))
    if used:
        return _count(used.get("input_tokens")), _count(used.get("output_tokens"))
    used = _mapping(about.get("token_usage"))
    return (_count(used.get("prompt_tokens")), _count(used.get("completion_tokens"))) if used else None


def _count(value: Json) -> int:
    return value if isinstance(value, int) and 0 < value < _MOST_TOKENS else 0


def _reasons(content: Json) -> bool:
    if not isinstance(content, list):
        return False
    return any(isinstance(block, dict) and block.get("type") in REASONING_BLOCKS for block in content)


def _calls(raw: dict[str, Json]) -> tuple[ToolCall, ...]:
    found = raw.get("tool_call_chunks") or raw.get("tool_calls") or ()
    if not isinstance(found, list):
        return ()
    calls = []
    for call in found:
        if isinstance(call, dict):
            name = string(call.get("name")) or string(_mapping(call.get("function")).get("name"))
            if name:
                calls.append(ToolCall(string(call.get("id")), name))
    return tuple(calls)


def _server_calls(content: Json) -> tuple[ToolCall, ...]:
    """Return the calls of tools that the model's provider runs, in the blocks of each provider."""
    found = []
    for block in _blocks(content):
        kind, call, name = string(block.get("type")), string(block.get("id")), string(block.get("name"))
        if kind.endswith(_OWN_CALL) and not kind.endswith(_CLIENT_CALLS):
            name = name or kind.removesuffix(_OWN_CALL)
        elif kind not in _SERVER_CALLS:
            continue
        if call and name:
            found.append(ToolCall(call, name))
    return tuple(found)


def _ended(content: Json) -> tuple[str, ...]:
    found = []
    for block in _blocks(content):
        kind = string(block.get("type"))
        if kind.endswith(_SERVER_RESULT) or kind == "server_tool_result":
            found.append(string(block.get("tool_use_id")) or string(block.get("tool_call_id")))
        elif kind.endswith(_OWN_CALL) and block.get("status") == "completed":
            found.append(string(block.get("id")))
    return tuple(filter(None, found))


def _blocks(content: Json) -> list[dict[str, Json]]:
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
