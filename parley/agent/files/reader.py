"""A file's content for the agent: its text, or the picture that it is."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from parley.agent.files.sniff import ContentKind
from parley.core.model.attachments import StoredFile, UnreadReason

log = logging.getLogger(__name__)

_PROGRAM = Path(__file__).with_name("sandbox_main.py")
# Nothing of our environment, which holds keys; and one thread, as libraries keep memory ready for each.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}
_TEXT = "text/plain"
_UNSEEN, _IS_OF_KIND = "unseen", "kind/"
_TRIED = "tried"
_MISSING = "missing"
_VOICE, _SAMPLES = "voice", "samples"
_NOT_INSTALLED = "a file is not read: %.100s is not installed; run: pip install 'parley-bridge[%s]'"
_ALL_TRIED = 4


@dataclass(frozen=True, slots=True)
class FileLimits:
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
class FileContent:
    """What a file holds: a `text`, which may be `cut`, or the bytes of a picture with their `mime` type."""

    text: str = ""
    cut: bool = False
    picture: bytes = b""
    mime: str = ""


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    """What the kernel has `refused` to a program as it reads files, and what it is `missing` for more."""

    refused: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether everything that was tried is refused."""
        return len(self.refused) == _ALL_TRIED

    def __str__(self) -> str:
        said = f"the kernel keeps it from {', '.join(self.refused) or 'nothing'}"
        lacks = f" (missing here: {', '.join(dict.fromkeys(self.missing))})" if self.missing else ""
        return f"Files that people send are read by a process of its own; {said}{lacks}"


class UnreadableFile(Exception):
    """A file has nothing for the agent."""

    def __init__(self, trouble: UnreadReason) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble


class FileReader:
    """Reads files; the work is done by programs of their own, a few at a time."""

    def __init__(self, limits: FileLimits | None = None) -> None:
        self.limits = limits or FileLimits()
        # Telling what a file is takes a moment, and a picture must not wait for somebody else's book.
        self._for_telling = asyncio.Semaphore(self.limits.at_once)
        self._for_books = asyncio.Semaphore(self.limits.at_once)
        self._for_others = asyncio.Semaphore(self.limits.at_once)

    async def read(self, file: StoredFile, most: int, *, pictures: bool) -> FileContent:
        """The content of a file, at most `most` characters of text. Raises UnreadableFile."""
        try:
            if file.size > self.limits.size:
                raise UnreadableFile(UnreadReason.TOO_LARGE)
            with _opened(file.path) as content:
                return await self.read_open(content, most, pictures=pictures)
        except OSError as error:
            log.warning("file %s cannot be read: %s", file.path, error)
            raise UnreadableFile(UnreadReason.BROKEN) from error

    async def samples(self, file: StoredFile, most: int) -> bytes:
        """Return a voice message in Ogg Opus as samples: 16 kHz, one channel, 16 bits; at most one more than
        `most`, so that a cut can be told. Raises UnreadableFile.
        """
        try:
            with _opened(file.path) as content:
                async with self._for_others:
                    output = await self._output(_VOICE, content, most)
        except OSError as error:
            raise UnreadableFile(UnreadReason.BROKEN) from error
        word, _, found = output.partition(b"\n")
        if word.decode() != _SAMPLES:
            raise _unreadable(word.decode(), found, "voice")
        return found

    async def protection(self) -> SandboxStatus:
        """Try what the kernel keeps a program from that reads files; never raises."""
        try:
            _, _, found = (await self._output(_TRIED, DEVNULL, 0)).partition(b"\n")
            told = json.loads(found)
            return SandboxStatus(tuple(told["refused"]), tuple(told["missing"]))
        except (OSError, UnreadableFile, ValueError, LookupError) as error:
            return SandboxStatus(missing=(f"an answer: {error!r}",))

    async def tell_protection(self) -> None:
        """Write one line to the log: what the kernel keeps a program from that reads files."""
        found = await self.protection()
        log.log(logging.INFO if found.whole else logging.WARNING, "%s (docs/files.md)", found)

    async def read_open(self, content: BinaryIO, most: int, *, pictures: bool) -> FileContent:
        """Read an open file, which needs no name on a disk. Raises UnreadableFile and OSError."""
        content.seek(0)
        async with self._for_telling:
            found = await self._output(_UNSEEN, content, most)
        if not found.startswith(_IS_OF_KIND.encode()):
            return _understood(found, most)
        kind = ContentKind(found.decode().strip().removeprefix(_IS_OF_KIND))
        _refuse(kind, pictures=pictures)
        content.seek(0)
        async with self._for_others if kind in (ContentKind.IMAGE, ContentKind.TEXT) else self._for_books:
            return _understood(await self._output(kind.value, content, most), most)

    async def _output(self, kind: str, content: BinaryIO | int, most: int) -> bytes:
        """What the program says about an open file. Raises UnreadableFile and OSError."""
        seconds = self.limits.seconds
        # Without libraries it starts in a fraction of the time.
        bare = ["-S"] if kind in (_UNSEEN, _TRIED) else []
        command = [sys.executable, "-I", "-B", *bare, "-W", "ignore", str(_PROGRAM)]
        command += [kind, str(most), str(int(seconds) + 1)]
        # In a session of its own: Ctrl-C in our terminal is for us, and makes no file a broken one.
        program = await asyncio.create_subprocess_exec(
            *command, stdin=content, stdout=PIPE, stderr=PIPE, env=_ENVIRONMENT, start_new_session=True
        )
        try:
            async with asyncio.timeout(seconds):
                output, complaint = await program.communicate()
        except TimeoutError:
            raise UnreadableFile(UnreadReason.SLOW) from None
        finally:
            await _ended(program)
        if program.returncode:
            log.info(
                "%s file is not read (%s): %s",
                kind,
                program.returncode,
                complaint[-500:].decode(errors="replace"),
            )
            raise UnreadableFile(UnreadReason.BROKEN)
        return output


def _opened(path: str) -> BinaryIO:
    """A file of ours; not in a thread, which somebody who gives up would leave with an open file."""
    return Path(path).open("rb")


async def _ended(program: Process) -> None:
    if program.returncode is None:
        program.kill()
        await program.communicate()


def _refuse(kind: ContentKind, *, pictures: bool) -> None:
    if kind is ContentKind.IMAGE and not pictures:
        raise UnreadableFile(UnreadReason.NO_IMAGES)
    if kind in (ContentKind.LOCKED, ContentKind.UNKNOWN):
        raise UnreadableFile(UnreadReason(kind.value))


def _understood(output: bytes, most: int) -> FileContent:
    word, _, content = output.partition(b"\n")
    mime = word.decode()
    if mime == _TEXT:
        text = content.decode()
        return FileContent(text[:most], len(text) > most)
    if mime.startswith("image/"):
        return FileContent(picture=content, mime=mime)
    raise _unreadable(mime, content, "documents")


def _unreadable(word: str, more: bytes, extra: str) -> UnreadableFile:
    if word == _MISSING:
        log.warning(_NOT_INSTALLED, more.decode(errors="replace"), extra)
        return UnreadableFile(UnreadReason.UNKNOWN)
    return UnreadableFile(UnreadReason(word))
