"""Files: the three steps of an upload, and what there is to know of one."""

from __future__ import annotations

import asyncio
from functools import partial

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.slack.api.methods import Method, find_thread_root
from parley.simulator.slack.api.params import SlackParams
from parley.simulator.slack.api.serializers import file_json, message_event
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import File, SlackChat
from parley.simulator.slack.world import SlackWorld

MOST_BYTES = 1_000_000_000


def get_url(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Say where to put the bytes: step one."""
    name, length = params.needed("filename"), params.integer("length", 0)
    if not 0 < length <= MOST_BYTES:
        raise SlackErrorResponse("invalid_arguments" if length < 1 else "file_upload_size_restricted")
    file = File(f"F{world.number()}", name, "application/octet-stream", b"", world.bot.id, declared=length)
    world.files[file.id] = file
    return {"upload_url": f"{world.base_url}/upload/v1/{file.id}", "file_id": file.id}


def receive(world: SlackWorld, file_id: str, content: bytes) -> None:
    """Take the bytes: step two. Raises SlackErrorResponse when they are not as many as was said."""
    file = world.files.get(file_id)
    if file is None or file.uploaded:
        raise SlackErrorResponse("not_found", 404)
    if len(content) != file.declared:
        raise SlackErrorResponse("size_mismatch", 400)
    file.content, file.uploaded, file.declared = content, True, None


def complete(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Show it: step three. A file that is already shown is shown once more."""
    entries = params.array("files")
    files = [world.files.get(str(entry.get("id"))) for entry in entries if isinstance(entry, dict)]
    if not files or any(file is None or not file.uploaded for file in files):
        raise SlackErrorResponse("file_not_found")
    known = [file for file in files if file is not None]
    for file, entry in zip(known, entries, strict=True):
        file.title = str(entry.get("title") or "") if isinstance(entry, dict) else ""
    if params.text("channel_id"):
        chat = world.chat_for_bot(params.text("channel_id"))
        share = partial(_share, world, params, chat, find_thread_root(world, chat, params), known)
        # The platform agrees first, and shows the file a moment later.
        if world.timing.share:
            asyncio.get_running_loop().call_later(world.timing.share, share)
        else:
            share()
    told: list[Json] = [file_json(world, file) for file in known]
    return {"files": told}


def _share(world: SlackWorld, params: SlackParams, chat: SlackChat, thread: str, files: list[File]) -> None:
    with world.changed:
        message = world.post(chat, world.bot, thread)
        message.files, message.text = [file.id for file in files], params.text("initial_comment")
        message.subtype = "file_share"
        for file in files:
            file.shown.append((chat.id, message.ts))
        world.touch()
        world.emit(message_event(world, chat, message))


def info(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Give a file."""
    file = world.files.get(params.needed("file"))
    if file is None:
        raise SlackErrorResponse("file_not_found")
    return {"file": file_json(world, file)}


METHODS: dict[str, tuple[Method, str]] = {
    "files.getUploadURLExternal": (get_url, "files:write"),
    "files.completeUploadExternal": (complete, "files:write"),
    "files.info": (info, "files:read"),
}
