"""Files that an agent's messages carry, put on our disk.

Understood are LangChain's standard blocks (`base64`, or the older `data` with `source_type`), OpenAI's
(`image_url`, `file`, `input_audio`, `image_generation_call`) and Anthropic's (`source`). Only bytes that came
along are taken: a link in a message is never fetched.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import mimetypes
import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from parley.agent.transport.decoding import string
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import StoreUnavailable
from parley.core.model.types import Json

log = logging.getLogger(__name__)

MAX_FILE = 20_000_000
MAX_FILES = 20
_BLOCKS = frozenset(
    {
        *("image", "image_url", "input_image", "output_image", "image_generation_call"),
        *("audio", "input_audio", "video", "file", "input_file", "document"),
    }
)
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_PAUSE, _LOOKS = 1.0, 30
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+-]+=[^;,]*)*)(;base64)?,", re.ASCII)
_DEFAULT_MIME = {"image": "image/png", "audio": "audio/wav", "video": "video/mp4"}


@dataclass(frozen=True, slots=True)
class EncodedFile:
    """A file within a message, still encoded; `base64` is false for percent-encoding."""

    name: str
    mime: str
    data: str
    base64: bool = True


async def save_files(contents: Sequence[Json], folder: Path, limit: int = MAX_FILE) -> tuple[StoredFile, ...]:
    """Write the files of messages' contents under `folder`; too large or broken ones are left out.

    A full disk is waited for. Raises StoreUnavailable when it stays full.
    """
    payloads = list(extract_files(contents))
    if not payloads:
        return ()
    for _ in range(_LOOKS):
        try:
            return await asyncio.to_thread(_write_all, payloads[:MAX_FILES], folder, limit)
        except OSError as error:  # there is no room
            log.warning("an answer's files wait: %s", error)
            await asyncio.sleep(_PAUSE)
    raise StoreUnavailable(f"{folder}: the disk is full: make room; the answer and its files wait for it.")


def extract_files(contents: Sequence[Json]) -> Iterator[EncodedFile]:
    """The files in messages' contents."""
    for content in contents:
        for block in content if isinstance(content, list) else []:
            if (
                isinstance(block, dict)
                and string(block.get("type")) in _BLOCKS
                and (payload := _payload(block))
            ):
                yield payload


def _payload(block: dict[str, Json]) -> EncodedFile | None:
    kind = string(block["type"])
    inner = next((each for key in (kind, "source") if isinstance(each := block.get(key), dict)), {})
    fields = {**block, **inner}
    mime = _first(fields, "mime_type", "media_type", "mimeType")
    url = _first(fields, "url", "image_url", "file_data", "file_url")
    if match := _DATA_URL.match(url):
        return EncodedFile(_name(block, inner), mime or match[1] or "", url[match.end() :], bool(match[3]))
    if data := _first(fields, "base64", "data", "file_data", "result"):
        family = re.split(r"[_/]", kind.removeprefix("input_").removeprefix("output_"))[0]
        return EncodedFile(_name(block, inner), mime or _DEFAULT_MIME.get(family, ""), data)
    return None


def _first(fields: dict[str, Json], *keys: str) -> str:
    return next((value for key in keys if (value := string(fields.get(key)))), "")


def _name(block: dict[str, Json], inner: dict[str, Json]) -> str:
    extras = (each for key in ("extras", "metadata") if isinstance(each := block.get(key), dict))
    for fields in (block, inner, *extras):
        if name := _first(fields, "filename", "name", "title"):
            return name
    return ""


def _write_all(payloads: Sequence[EncodedFile], folder: Path, limit: int) -> tuple[StoredFile, ...]:
    stored = []
    for number, payload in enumerate(payloads, 1):
        try:
            stored.append(_write(payload, number, folder, limit))
        except (ValueError, OSError) as error:
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                raise
            log.warning("file %d of an answer is left out: %s", number, error)
    return tuple(stored)


def _write(payload: EncodedFile, number: int, folder: Path, limit: int) -> StoredFile:
    if len(payload.data) > limit * 3:
        raise ValueError(f"larger than {limit} bytes")
    content = b64decode(payload.data) if payload.base64 else unquote_to_bytes(payload.data)
    if not content or len(content) > limit:
        raise ValueError(f"{len(content)} bytes, where 1 to {limit} are taken")
    name = safe_name(payload.name, number, payload.mime)
    named = payload.mime if payload.mime.isascii() and payload.mime.isprintable() else ""
    mime = named or mimetypes.guess_type(name)[0] or "application/octet-stream"
    # A folder a number: names may repeat, and a run read twice writes the same files again.
    place = folder / str(number)
    place.mkdir(parents=True, exist_ok=True)
    path = place / name
    path.write_bytes(content)
    return StoredFile(_kind(mime), name, mime, len(content), str(path))


def safe_name(name: str, number: int, mime: str) -> str:
    """`name` without folders, control characters or leading dots, short enough for any file system."""
    base = _plain(re.split(r"[\\/]", name)[-1])
    if not base:
        base = f"{_plain(mime.partition('/')[0])[:20] or 'file'}-{number}"
    stem, dot, suffix = base.rpartition(".")
    if not dot or len(suffix) > 10:
        stem, suffix = base, (mimetypes.guess_extension(mime) or "").removeprefix(".")
    stem = stem.encode()[:100].decode(errors="ignore")
    return f"{stem}.{suffix}" if suffix else stem


def _plain(name: str) -> str:
    """What of a name may stand in one on a disk, which takes no lone surrogates either."""
    sound = name.encode("utf-8", "ignore").decode()
    return re.sub(r'[\x00-\x1f\x7f<>:"|?*\\/]+', "_", sound).strip(" .")


def _kind(mime: str) -> AttachmentKind:
    family = mime.partition("/")[0]
    return AttachmentKind(family) if family in ("image", "audio", "video") else AttachmentKind.FILE
