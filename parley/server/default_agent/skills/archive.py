"""An archive of a skill, as a stranger made it: only plain files within bounds come out of it."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, cast

from parley.server.default_agent.skills.skill_file import SKILL_FILE, SkillHead, SkillRefused, read_head
from parley.server.workspace.paths import PathRefused, split_path

_MOST_ARCHIVE = 20_000_000
_MOST_BYTES = 50_000_000
_MOST_RATIO = 100
_SMALL = 1_000_000
"""Bytes that any archive may unpack to, however small it is."""
_MOST_ENTRIES = 1_000
_ZIP_ENTRY = b"PK\x01\x02"
_IGNORED = ("__MACOSX", ".DS_Store")
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    OSError,
)
"""What the modules of the standard library raise for an archive that is broken."""

Parts = tuple[str, ...]


def unpack_skill(archive: Path) -> tuple[SkillHead, Mapping[Parts, bytes]]:
    """Return a skill's head, and its files by their paths within its folder. Raises SkillRefused."""
    try:
        size = archive.stat().st_size
        if size > _MOST_ARCHIVE:
            raise SkillRefused(f"{archive}: an archive may have {_MOST_ARCHIVE:,} bytes at most")
        content = archive.read_bytes()
    except OSError as error:
        raise SkillRefused(f"{archive}: {error.strerror}") from error
    try:
        files = _files(content)
    except SkillRefused as error:
        raise SkillRefused(f"{archive}: {error.user_text}") from error
    except _BROKEN as error:
        raise SkillRefused(
            f"{archive}: it is broken ({type(error).__name__}), or no zip or tar.gz"
        ) from error
    return _skill(archive, files)


def _skill(archive: Path, files: Mapping[Parts, bytes]) -> tuple[SkillHead, Mapping[Parts, bytes]]:
    """Return a skill that is the whole archive, or the one folder in it. Raises SkillRefused."""
    folder = ""
    if (SKILL_FILE,) not in files:
        folder, *others = {parts[0] for parts in files} or {""}
        if others or (folder, SKILL_FILE) not in files:
            raise SkillRefused(
                f"{archive}: it needs one folder with {SKILL_FILE} in it, or {SKILL_FILE} itself"
            )
        files = {parts[1:]: content for parts, content in files.items()}
    try:
        return read_head(files[(SKILL_FILE,)].decode(), folder), files
    except UnicodeDecodeError as error:
        raise SkillRefused(f"{archive}: {SKILL_FILE} is no UTF-8 text") from error
    except SkillRefused as error:
        raise SkillRefused(f"{archive}: {error.user_text}") from error


def _files(content: bytes) -> dict[Parts, bytes]:
    """Return the files of an archive. Raises SkillRefused, or what a broken one raises."""
    room = min(_MOST_BYTES, max(_SMALL, _MOST_RATIO * len(content)))
    entries = _tar_entries(content, room) if content[:2] == b"\x1f\x8b" else _zip_entries(content)
    found: dict[Parts, bytes] = {}
    for number, (name, file) in enumerate(entries):
        if number >= _MOST_ENTRIES:
            raise SkillRefused(f"it has more than {_MOST_ENTRIES:,} entries")
        parts = _parts(name)
        if file is None or not parts or parts[0] in _IGNORED or parts[-1] in _IGNORED:
            continue
        taken = file.read(room + 1)
        room -= len(taken)
        if room < 0:
            raise _too_large()
        if parts in found:
            raise SkillRefused(f"{name[:200]!r}: it is there twice")
        found[parts] = taken
    _check_places(found)
    return found


def _zip_entries(content: bytes) -> Iterator[tuple[str, IO[bytes] | None]]:
    # The module reads the whole directory before anybody sees how long it is.
    if content.count(_ZIP_ENTRY) > 10 * _MOST_ENTRIES:
        raise SkillRefused(f"it has more than {_MOST_ENTRIES:,} entries")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            name, kind = entry.orig_filename, stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG):
                raise _no_file(name)
            if entry.is_dir():
                yield name, None
                continue
            if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise SkillRefused(
                    f"{name[:200]!r}: it is encrypted, or compressed in a way that is not read"
                )
            with archive.open(entry) as file:
                yield name, file


def _tar_entries(content: bytes, room: int) -> Iterator[tuple[str, IO[bytes] | None]]:
    with (
        gzip.GzipFile(fileobj=io.BytesIO(content)) as plain,
        tarfile.open(fileobj=cast("IO[bytes]", _Bounded(plain, room)), mode="r|") as archive,
    ):
        for entry in archive:
            if not (entry.isdir() or entry.isreg()) or entry.issparse():
                raise _no_file(entry.name)
            yield entry.name, None if entry.isdir() else archive.extractfile(entry)


class _Bounded(io.RawIOBase):
    """Gives at most so many bytes: a header, too, may say that it is longer than any memory."""

    def __init__(self, file: gzip.GzipFile, room: int) -> None:
        self._file = file
        # A header, an end and their padding for each entry.
        self._room = room + 3 * 512 * _MOST_ENTRIES

    def read(self, size: int = -1) -> bytes:
        """Read on. Raises SkillRefused where that is too much."""
        taken = self._file.read(self._room + 1 if size < 0 else min(size, self._room + 1))
        self._room -= len(taken)
        if self._room < 0:
            raise _too_large()
        return taken


def _parts(name: str) -> Parts:
    if name.startswith(("/", "\\")) or name[1:2] == ":":
        raise SkillRefused(f"{name[:200]!r}: a path may not be absolute")
    try:
        return split_path(name)
    except PathRefused as error:
        raise SkillRefused(f"{name[:200]!r}: a file of a skill may not have this path") from error


def _check_places(found: Mapping[Parts, bytes]) -> None:
    """Raise SkillRefused where two files would have one place, on any file system."""
    places: dict[Parts, Parts] = {}
    for parts in found:
        same = places.setdefault(tuple(_folded(part) for part in parts), parts)
        if same != parts:
            raise SkillRefused(f"{'/'.join(parts)!r} and {'/'.join(same)!r}: their names are too similar")
    for place, parts in places.items():
        if any(place[:end] in places for end in range(1, len(place))):
            raise SkillRefused(f"{'/'.join(parts)!r}: a part of its path is a file")


def _folded(part: str) -> str:
    return unicodedata.normalize("NFC", part).casefold()


def _no_file(name: str) -> SkillRefused:
    return SkillRefused(f"{name[:200]!r}: it is a link, a device or another thing that is no plain file")


def _too_large() -> SkillRefused:
    return SkillRefused(
        f"unpacked, it has more than {_MOST_BYTES:,} bytes, or more than {_MOST_RATIO} times its size"
    )
