"""A file's content for the agent: its text, or the picture that it is."""

from __future__ import annotations

import asyncio
import codecs
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from dataclasses import dataclass
from pathlib import Path

from agent.kinds import Kind, kind_of
from bridge.files import FileTrouble, StoredFile

log = logging.getLogger(__name__)

_PROGRAM = Path(__file__).with_name("document_child.py")
# Nothing of our environment, which holds keys; and one thread, as libraries keep memory ready for each.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}
_TEXT = "text/plain"


@dataclass(frozen=True, slots=True)
class Limits:
    """What files may cost.

    One file: `size` in bytes, and `seconds` of reading. All of a turn: `characters` of text, `picture_bytes`
    of pictures. `at_once` documents, and as many
    pictures, are read at a time.
    """

    size: int = 50_000_000
    seconds: float = 20.0
    characters: int = 100_000
    picture_bytes: int = 15_000_000
    at_once: int = 2


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds: a `text`, which may be `cut`, or the bytes of a picture with their `mime` type."""

    text: str = ""
    cut: bool = False
    picture: bytes = b""
    mime: str = ""


class Unreadable(Exception):
    """A file has nothing for the agent."""

    def __init__(self, trouble: FileTrouble) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble


class Documents:
    """Reads files; the work is done by programs of their own, a few at a time."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        # A picture must not wait for somebody else's book.
        self._for_books = asyncio.Semaphore(self.limits.at_once)
        self._for_others = asyncio.Semaphore(self.limits.at_once)

    async def read(self, file: StoredFile, most: int, *, pictures: bool) -> Content:
        """The content of a file, at most `most` characters of text. Raises Unreadable."""
        try:
            if file.size > self.limits.size:
                raise Unreadable(FileTrouble.TOO_LARGE)
            kind = await asyncio.to_thread(kind_of, Path(file.path))
            _refuse(kind, pictures=pictures)
            if kind is Kind.TEXT and (content := await asyncio.to_thread(_plain, Path(file.path), most)):
                return content
            async with self._for_others if kind in (Kind.IMAGE, Kind.TEXT) else self._for_books:
                return await self._converted(kind, file.path, most)
        except OSError as error:
            log.warning("file %s cannot be read: %s", file.path, error)
            raise Unreadable(FileTrouble.BROKEN) from error

    async def _converted(self, kind: Kind, path: str, most: int) -> Content:
        seconds = self.limits.seconds
        command = [sys.executable, "-I", "-B", "-W", "ignore", str(_PROGRAM), kind.value, path]
        program = await asyncio.create_subprocess_exec(
            *command,
            str(most),
            str(int(seconds) + 1),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=_ENVIRONMENT,
        )
        try:
            async with asyncio.timeout(seconds):
                output, complaint = await program.communicate()
        except TimeoutError:
            raise Unreadable(FileTrouble.SLOW) from None
        finally:
            await _ended(program)
        if program.returncode:
            log.info(
                "%s file is not read (%s): %s",
                kind,
                program.returncode,
                complaint[-500:].decode(errors="replace"),
            )
            raise Unreadable(FileTrouble.BROKEN)
        return _understood(output, most)


async def _ended(program: Process) -> None:
    if program.returncode is None:
        program.kill()
        await program.communicate()


def _refuse(kind: Kind, *, pictures: bool) -> None:
    if kind is Kind.IMAGE and not pictures:
        raise Unreadable(FileTrouble.NO_IMAGES)
    if kind in (Kind.LOCKED, Kind.UNKNOWN):
        raise Unreadable(FileTrouble(kind.value))


def _plain(path: Path, most: int) -> Content | None:
    """A text in an encoding that says what it is; None where that takes guessing."""
    with path.open("rb") as file:
        raw = file.read(4 * most + 4)
    encoding = "utf-16" if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(raw)
    except UnicodeDecodeError:
        return None
    if not text.strip():
        raise Unreadable(FileTrouble.EMPTY)
    return Content(text[:most], len(text) > most)


def _understood(output: bytes, most: int) -> Content:
    word, _, content = output.partition(b"\n")
    mime = word.decode()
    if mime == _TEXT:
        text = content.decode()
        return Content(text[:most], len(text) > most)
    if mime.startswith("image/"):
        return Content(picture=content, mime=mime)
    raise Unreadable(FileTrouble(mime))
