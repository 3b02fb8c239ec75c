"""Files that an agent's messages carry or name, put on our disk.

Understood are LangChain's standard blocks (`base64`, or the older `data` with `source_type`), OpenAI's
(`image_url`, `file`, `input_audio`, `image_generation_call`), Anthropic's (`source`) and those of MCP
(`resource`). A block may have an address in place of a content; an address in a text is never fetched.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import mimetypes
import re
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

from parley.agent.files.web_address import NotFetched
from parley.agent.files.web_fetch import fetch_public
from parley.agent.transport.decoding import string
from parley.core.model.attachments import AttachmentKind, StoredFile, UnsentFile, UnsentReason
from parley.core.model.errors import StoreUnavailable
from parley.core.model.types import Json

log = logging.getLogger(__name__)

MAX_FILE = 20_000_000
MAX_FILES = 20
_BLOCKS = frozenset(
    {
        *("image", "image_url", "input_image", "output_image", "image_generation_call"),
        *("audio", "input_audio", "video", "file", "input_file", "document", "resource", "resource_link"),
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


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file elsewhere: `fetch` brings at most so many bytes and their type, or raises NotFetched.

    `url` is where people can look for themselves, where they can.
    """

    name: str
    fetch: Callable[[int], Awaitable[tuple[bytes, str]]]
    url: str = ""


@dataclass(frozen=True, slots=True)
class SavedFiles:
    """The files of an answer: those on our disk, those that cannot be sent, and links to such."""

    stored: tuple[StoredFile, ...] = ()
    unsent: tuple[UnsentFile, ...] = ()
    links: tuple[str, ...] = ()


async def save_files(
    files: Sequence[EncodedFile | RemoteFile], folder: Path, limit: int = MAX_FILE
) -> SavedFiles:
    """Write files under `folder`, each content once.

    A full disk is waited for. Raises StoreUnavailable when it stays full.
    """
    stored: list[StoredFile] = []
    unsent: list[UnsentFile] = []
    links: list[str] = []
    seen: set[bytes] = set()
    for number, file in enumerate(files, 1):
        try:
            if len(stored) >= MAX_FILES:
                raise _Unsent(UnsentReason.TOO_MANY)
            content, mime = await _content(file, limit)
            digest = sha256(content).digest()
            if digest not in seen:
                seen.add(digest)
                stored.append(await _written(content, file.name, mime, folder, number))
        except _Unsent as error:
            log.warning("file %d of an answer is left out: %s", number, error.reason)
            if isinstance(file, RemoteFile) and file.url:
                links.append(file.url)
            else:
                unsent.append(UnsentFile(file.name or str(number), error.reason))
    return SavedFiles(tuple(stored), tuple(unsent), tuple(dict.fromkeys(links)))


class _Unsent(Exception):
    def __init__(self, reason: UnsentReason) -> None:
        super().__init__(reason)
        self.reason = reason


async def _content(file: EncodedFile | RemoteFile, limit: int) -> tuple[bytes, str]:
    if isinstance(file, RemoteFile):
        try:
            return await file.fetch(limit)
        except NotFetched as error:
            log.warning("%s could not be fetched: %s", file.name, error)
            reason = UnsentReason.TOO_LARGE if error.too_large else UnsentReason.NOT_FETCHED
            raise _Unsent(reason) from error
    if len(file.data) > limit * 3:
        raise _Unsent(UnsentReason.TOO_LARGE)
    return await asyncio.to_thread(_decoded, file, limit), file.mime


def _decoded(file: EncodedFile, limit: int) -> bytes:
    try:
        content = b64decode(file.data) if file.base64 else unquote_to_bytes(file.data)
    except ValueError as error:
        raise _Unsent(UnsentReason.BROKEN) from error
    if not content:
        raise _Unsent(UnsentReason.BROKEN)
    if len(content) > limit:
        raise _Unsent(UnsentReason.TOO_LARGE)
    return content


async def _written(content: bytes, name: str, mime: str, folder: Path, number: int) -> StoredFile:
    for _ in range(_LOOKS):
        try:
            return await asyncio.to_thread(_write, content, name, mime, folder, number)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                log.warning("file %d of an answer cannot be written: %s", number, error)
                raise _Unsent(UnsentReason.BROKEN) from error
            log.warning("an answer's files wait: %s", error)
            await asyncio.sleep(_PAUSE)
    raise StoreUnavailable(f"{folder}: the disk is full: make room; the answer and its files wait for it.")


def extract_files(contents: Sequence[Json]) -> Iterator[EncodedFile | RemoteFile]:
    """The files in messages' contents, and those on the web that they are said to be at."""
    for content in contents:
        for block in content if isinstance(content, list) else []:
            if (
                isinstance(block, dict)
                and string(block.get("type")) in _BLOCKS
                and (payload := _payload(block))
            ):
                yield payload


def _payload(block: dict[str, Json]) -> EncodedFile | RemoteFile | None:
    kind = string(block["type"])
    inner = next((each for key in (kind, "source") if isinstance(each := block.get(key), dict)), {})
    fields = {**block, **inner}
    mime = _first(fields, "mime_type", "media_type", "mimeType")
    url = _first(fields, "url", "image_url", "file_data", "file_url", "uri")
    if match := _DATA_URL.match(url):
        return EncodedFile(_name(block, inner), mime or match[1] or "", url[match.end() :], bool(match[3]))
    if data := _first(fields, "base64", "data", "blob", "file_data", "result"):
        family = re.split(r"[_/]", kind.removeprefix("input_").removeprefix("output_"))[0]
        return EncodedFile(
            _name(block, inner) or _last_part(url), mime or _DEFAULT_MIME.get(family, ""), data
        )
    if kind == "resource" and (text := _first(inner, "text")):
        return EncodedFile(_name(block, inner) or _last_part(url), mime or "text/plain", quote(text), False)
    if url.startswith(("https://", "http://")):
        name = _name(block, inner) or _last_part(url)
        return RemoteFile(name, lambda most: fetch_public(url, most), url)
    return None


def _last_part(url: str) -> str:
    return unquote(urlsplit(url[:2000]).path).rpartition("/")[2]


def _first(fields: dict[str, Json], *keys: str) -> str:
    return next((value for key in keys if (value := string(fields.get(key)))), "")


def _name(block: dict[str, Json], inner: dict[str, Json]) -> str:
    extras = (each for key in ("extras", "metadata") if isinstance(each := block.get(key), dict))
    for fields in (block, inner, *extras):
        if name := _first(fields, "filename", "name", "title"):
            return name
    return ""


def _write(content: bytes, name: str, mime: str, folder: Path, number: int) -> StoredFile:
    name = safe_name(name, number, mime)
    named = mime if mime.isascii() and mime.isprintable() else ""
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
