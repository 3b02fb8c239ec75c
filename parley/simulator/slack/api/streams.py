"""Messages that grow: chat.startStream, chat.appendStream, chat.stopStream."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object
from parley.simulator.kit.limits import load_limits
from parley.simulator.slack.api.agents import SESSIONS
from parley.simulator.slack.api.methods import MOST_MARKDOWN, Method, find_thread_root, metadata
from parley.simulator.slack.api.params import SlackParams
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import SlackChat, SlackMessage
from parley.simulator.slack.rendering.blocks import check_blocks
from parley.simulator.slack.world import SlackWorld

_LIMITS = load_limits("slack")
MOST_BESIDE_CARDS = _LIMITS["stream_with_cards"].whole
"""Bytes of text, and of the cards beside it."""
_BOTH = str(_LIMITS["both_texts_code"].value)
_STATES = frozenset({"pending", "in_progress", "complete", "error"})
_DISPLAYS = frozenset({"", "timeline", "plan"})
_PLAN = "plan"
_LINK = ("url", "text")
_GROWING = ("details", "output")
"""What an update of a card appends to: openclaw/openclaw#125168, seen live. Title and state are replaced."""


@dataclass
class _Pieces:
    """What a call adds to a message: text, cards by their ids, and blocks."""

    text: str
    tasks: dict[str, JsonObject] = field(default_factory=dict)
    blocks: list[Json] = field(default_factory=list)


def start(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Post a new, growing reply in a thread."""
    chat = world.chat_for_bot(params.needed("channel"))
    thread = find_thread_root(world, chat, params)
    if not thread:
        raise SlackErrorResponse("invalid_thread_ts")
    if chat.kind != "im" and not (params.text("recipient_user_id") and params.text("recipient_team_id")):
        raise SlackErrorResponse(
            "missing_recipient_user_id"
            if not params.text("recipient_user_id")
            else "missing_recipient_team_id"
        )
    if params.text("task_display_mode") not in _DISPLAYS:
        raise SlackErrorResponse("invalid_arguments")
    pieces = _pieces(params)
    _check_size(SlackMessage("", chat.id, world.bot.id, 0.0), pieces)
    message = world.post(chat, world.bot, thread)
    message.streaming, message.stream_ends = True, time.time() + world.timing.stream
    _grow(world, message, pieces)
    return {"channel": chat.id, "ts": message.ts}


def append(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Append to it."""
    chat, message = _streaming(world, params)
    pieces = _pieces(params)
    if not (pieces.text or pieces.tasks or pieces.blocks):
        raise SlackErrorResponse("no_text")
    _check_size(message, pieces)
    _grow(world, message, pieces)
    return {"channel": chat.id, "ts": message.ts}


def stop(world: SlackWorld, params: SlackParams) -> JsonObject:
    """End it."""
    chat, message = _streaming(world, params)
    pieces = _pieces(params)
    _check_size(message, pieces)
    pieces.blocks += params.array("blocks")
    check_blocks(params.array("blocks"))
    status = params.text("session_status")
    if status and status not in SESSIONS:
        raise SlackErrorResponse("invalid_arguments")
    message.metadata = metadata(params) or message.metadata
    message.streaming = False
    if status:
        chat.sessions[message.thread] = status
    _grow(world, message, pieces)
    return {"channel": chat.id, "ts": message.ts, "message": {"ts": message.ts}}


def _streaming(world: SlackWorld, params: SlackParams) -> tuple[SlackChat, SlackMessage]:
    chat = world.chat_for_bot(params.needed("channel"))
    message = world.own(chat, params.needed("ts"))
    if message.streaming and time.time() >= message.stream_ends:
        message.streaming = False
        world.touch()
    if not message.streaming:
        raise SlackErrorResponse("message_not_in_streaming_state")
    return chat, message


def _pieces(params: SlackParams) -> _Pieces:
    """Return what a call adds. Raises SlackErrorResponse."""
    pieces = _Pieces(params.text("markdown_text"))
    if pieces.text and params.array("chunks"):
        raise SlackErrorResponse(_BOTH)
    for chunk in params.array("chunks"):
        if not isinstance(chunk, dict) or not _take(pieces, chunk):
            raise SlackErrorResponse("invalid_chunks")
    if len(pieces.text) > MOST_MARKDOWN:
        raise SlackErrorResponse("msg_too_long")
    check_blocks(pieces.blocks)
    return pieces


def _take(pieces: _Pieces, chunk: JsonObject) -> bool:
    """Take a chunk of the reference's kinds; tells whether it is one."""
    match chunk.get("type"):
        case "markdown_text" if isinstance(chunk.get("text"), str):
            pieces.text += str(chunk["text"])
        case "plan_update" if isinstance(chunk.get("title"), str):
            pieces.tasks[_PLAN] = {"title": chunk["title"], "status": "plan"}
        case "blocks" if isinstance(chunk.get("blocks"), list):
            pieces.blocks += as_list(chunk["blocks"])
        case "task_update" if _is_task(chunk):
            kept = {key: chunk[key] for key in ("title", "status", "sources", *_GROWING) if key in chunk}
            pieces.tasks[str(chunk["id"])] = _merged(pieces.tasks.get(str(chunk["id"]), {}), kept)
        case _:
            return False
    return True


def _is_task(chunk: JsonObject) -> bool:
    """Tell whether it is a card: an id, a title, a state, and sources that have words of their own."""
    named = chunk.get("status") in _STATES and bool(chunk.get("id")) and bool(chunk.get("title"))
    worded = all(isinstance(chunk.get(key, ""), str) for key in _GROWING)
    sources = chunk.get("sources", [])
    return named and worded and isinstance(sources, list) and all(map(_is_source, sources))


def _is_source(value: Json) -> bool:
    if not isinstance(value, dict) or value.get("type") != "url":
        return False
    return all(isinstance(value.get(key), str) and bool(value[key]) for key in _LINK)


def _merged(task: JsonObject, more: JsonObject) -> JsonObject:
    """Return a card after an update: its details and output go on, all else is replaced."""
    grown = {key: f"{task.get(key, '')}{more.get(key, '')}" for key in _GROWING if key in task or key in more}
    return task | more | grown


def _tasks(message: SlackMessage, pieces: _Pieces) -> dict[str, JsonObject]:
    """Return a message's cards as they will be."""
    return message.tasks | {
        key: _merged(message.tasks.get(key, {}), task) for key, task in pieces.tasks.items()
    }


def _check_size(message: SlackMessage, pieces: _Pieces) -> None:
    """Raise SlackErrorResponse for more than one message holds.

    Beside cards it is bytes that count, those of details and output twice, once there is any text. What
    sources count as nobody has measured: they count as much.
    """
    text, tasks = message.markdown + pieces.text, _tasks(message, pieces)
    cards = sum(_weight(key, value) for task in tasks.values() for key, value in task.items())
    beside_cards = bool(tasks) and bool(text) and len(text.encode()) + cards > MOST_BESIDE_CARDS
    if len(text) > MOST_MARKDOWN or beside_cards:
        raise SlackErrorResponse("msg_too_long")


def _weight(key: str, value: Json) -> int:
    """Return how many bytes a field of a card counts as."""
    if key == "status":
        return 0
    texts = (
        [value]
        if key != "sources"
        else [each[part] for each in map(as_object, as_list(value)) for part in _LINK]
    )
    twice = key in (*_GROWING, "sources")
    return sum(len(str(text).encode()) for text in texts) * (2 if twice else 1)


def _grow(world: SlackWorld, message: SlackMessage, pieces: _Pieces) -> None:
    message.markdown += pieces.text
    message.tasks = _tasks(message, pieces)
    message.blocks = [*message.blocks, *pieces.blocks]
    world.note_shown(message)


METHODS: dict[str, tuple[Method, str]] = {
    "chat.startStream": (start, "chat:write"),
    "chat.appendStream": (append, "chat:write"),
    "chat.stopStream": (stop, "chat:write"),
}
