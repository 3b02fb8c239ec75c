"""Messages that grow: chat.startStream, chat.appendStream, chat.stopStream."""

from __future__ import annotations

import time

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.slack.api.methods import MOST_MARKDOWN, SESSIONS, Method, find_thread_root, metadata
from parley.simulator.slack.api.params import SlackParams
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import SlackChat, SlackMessage
from parley.simulator.slack.world import SlackWorld

_STATES = frozenset({"pending", "in_progress", "complete", "error"})


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
    text, tasks = _pieces(params)
    message = world.post(chat, world.bot, thread)
    message.streaming, message.stream_ends = True, time.time() + world.timing.stream
    chat.statuses.append((time.time(), thread, ""))
    _grow(world, message, text, tasks)
    return {"channel": chat.id, "ts": message.ts}


def append(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Append to it."""
    chat, message = _streaming(world, params)
    text, tasks = _pieces(params)
    if not text and not tasks:
        raise SlackErrorResponse("no_text")
    _grow(world, message, text, tasks)
    return {"channel": chat.id, "ts": message.ts}


def stop(world: SlackWorld, params: SlackParams) -> JsonObject:
    """End it."""
    chat, message = _streaming(world, params)
    text, tasks = _pieces(params)
    status = params.text("session_status")
    if status and status not in SESSIONS:
        raise SlackErrorResponse("invalid_arguments")
    message.metadata = metadata(params) or message.metadata
    message.streaming = False
    if status:
        chat.sessions[message.thread] = status
    _grow(world, message, text, tasks)
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


def _pieces(params: SlackParams) -> tuple[str, list[JsonObject]]:
    """Return the call's text and task cards. Raises SlackErrorResponse."""
    text, tasks = params.text("markdown_text"), []
    if text and params.array("chunks"):
        raise SlackErrorResponse("invalid_arguments")
    for chunk in params.array("chunks"):
        if not isinstance(chunk, dict):
            raise SlackErrorResponse("invalid_chunks")
        if chunk.get("type") == "markdown_text":
            text += str(chunk.get("text", ""))
        elif chunk.get("type") == "task_update" and chunk.get("status") in _STATES and chunk.get("id"):
            tasks.append(chunk)
        else:
            raise SlackErrorResponse("invalid_chunks")
    if len(text) > MOST_MARKDOWN:
        raise SlackErrorResponse("msg_too_long")
    return text, tasks


def _grow(world: SlackWorld, message: SlackMessage, text: str, tasks: list[JsonObject]) -> None:
    if len(message.markdown) + len(text) > MOST_MARKDOWN:
        raise SlackErrorResponse("msg_too_long")
    message.markdown += text
    message.tasks |= {str(task["id"]): _task(task) for task in tasks}
    world.note_shown(message)


def _task(task: JsonObject) -> JsonObject:
    kept: dict[str, Json] = {"title": task.get("title"), "status": task.get("status")}
    return kept


METHODS: dict[str, tuple[Method, str]] = {
    "chat.startStream": (start, "chat:write"),
    "chat.appendStream": (append, "chat:write"),
    "chat.stopStream": (stop, "chat:write"),
}
