"""The methods that carry files."""

from __future__ import annotations

import itertools

from parley.simulator.kit.json_values import Json
from parley.simulator.telegram.api.methods import (
    MOST_CAPTION,
    Method,
    as_json,
    parse_text,
    post,
    require_chat,
)
from parley.simulator.telegram.api.params import TelegramParams
from parley.simulator.telegram.errors import bad_request
from parley.simulator.telegram.model import (
    MediaKind,
    TelegramChat,
    TelegramMedia,
    TelegramMessage,
    TelegramUpload,
)
from parley.simulator.telegram.world import TelegramWorld

MOST_PHOTO = 10_000_000
_ALBUMS: dict[str, MediaKind] = {
    "photo": "photo",
    "video": "video",
    "audio": "audio",
    "document": "document",
}
_VOICES = (b"OggS", b"ID3", b"\xff\xfb", b"\x00\x00\x00")
_albums = itertools.count(9_000_000_001)


def _media(world: TelegramWorld, params: TelegramParams, kind: MediaKind, reference: str) -> TelegramMedia:
    """Return a file that came with the call, or that the platform has. Raises TelegramErrorResponse."""
    upload = params.files.get(reference.removeprefix("attach://"))
    if upload is None:
        content = world.files.get(reference)
        if content is None:
            raise bad_request(f"there is no {kind} in the request")
        upload = TelegramUpload(reference, content)
    if not upload.content:
        raise bad_request("file must be non-empty")
    if kind == "photo" and len(upload.content) > MOST_PHOTO:
        raise bad_request("too big for a photo")
    if kind == "photo" and not upload.content.startswith((b"\x89PNG", b"\xff\xd8", b"GIF8", b"RIFF")):
        raise bad_request("IMAGE_PROCESS_FAILED")
    if kind == "voice" and not upload.content.startswith(_VOICES):
        raise bad_request("VOICE_CONTENT_INVALID")
    return world.keep(TelegramUpload(upload.name, upload.content, upload.mime, kind))


def _send(kind: MediaKind) -> Method:
    def send(world: TelegramWorld, params: TelegramParams) -> Json:
        chat = require_chat(world, params)
        text, marks = parse_text(params, "caption", MOST_CAPTION)
        media = _media(world, params, kind, params.text(kind, kind))
        message = post(world, chat, params)
        message.media, message.text, message.entities = media, text, marks
        return as_json(world, message)

    return send


def send_media_group(world: TelegramWorld, params: TelegramParams) -> Json:
    """Send two to ten files as one album."""
    chat = require_chat(world, params)
    entries = params.array("media")
    if not 2 <= len(entries) <= 10:
        raise bad_request("wrong number of messages in the album")
    album = str(next(_albums))
    planned = [_planned(world, params, entry) for entry in entries]
    kinds = {plan[0].kind for plan in planned}
    if len(kinds) > 1 and not kinds <= {"photo", "video"}:
        raise bad_request(f"{min(kinds)} can't be mixed with other media types")
    return [as_json(world, _posted(world, chat, params, album, *plan)) for plan in planned]


def _planned(
    world: TelegramWorld, params: TelegramParams, entry: Json
) -> tuple[TelegramMedia, str, list[Json]]:
    kind = _ALBUMS.get(str(entry.get("type"))) if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or kind is None:
        raise bad_request("Can't use the media of the specified type in the album")
    text, marks = parse_text(TelegramParams(entry), "caption", MOST_CAPTION)
    return _media(world, params, kind, str(entry.get("media"))), text, marks


def _posted(
    world: TelegramWorld,
    chat: TelegramChat,
    params: TelegramParams,
    album: str,
    media: TelegramMedia,
    text: str,
    marks: list[Json],
) -> TelegramMessage:
    message = post(world, chat, params)
    message.album, message.media, message.text, message.entities = album, media, text, marks
    return message


METHODS: dict[str, Method] = {
    "sendphoto": _send("photo"),
    "senddocument": _send("document"),
    "sendvideo": _send("video"),
    "sendanimation": _send("animation"),
    "sendaudio": _send("audio"),
    "sendvoice": _send("voice"),
    "sendmediagroup": send_media_group,
}
