"""Reads one file that a stranger sent, as a program of its own: KIND MOST_CHARACTERS MOST_SECONDS < FILE.

Standard output is one line, the type of what follows (`text/plain`, or a picture's) or a word for what is
wrong (`broken`, `locked`, `empty`, `too_large`, `unknown`; `missing` and a package), and then the content: at
most one character more than asked for, so that a cut can be told. The kind `unseen` is for a file that nobody
looked into yet: the line is `kind/` and what it is (sniff.py), unless it is a text in plain UTF-8 or UTF-16.

Whatever a file makes the libraries do, they get no network, no other file, no program, and bounded memory
and time: by the kernel where it can (sandbox.py), and by a hook of Python's everywhere. They are loaded
before the file is looked at. Nothing of Parley is imported but modules beside this one that import nothing
of it either, nor is its environment seen. The kind `tried` is for no file: it tells what the kernel refuses.
"""

from __future__ import annotations

import codecs
import importlib
import io
import json
import os
import signal
import sys
import zipfile
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

ReadFunction = Callable[[bytes, int], tuple[str, bytes]]

_MEMORY = 512_000_000
_MOST_UNPACKED = 100_000_000
_MOST_ENTRIES = 5_000
_PACKAGES = {
    "xl/workbook.xml": "xlsx",
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "META-INF/container.xml": "epub",
}
_FORMATS = {
    "docx": "word",
    "epub": "epub",
    "html": "page",
    "image": "picture",
    "pdf": "pdf",
    "pptx": "slides",
    "text": "plain_text",
    "voice": "voice",
    "xlsx": "workbook",
}
_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "os.remove",
    "os.rename",
)
_WRITING = 0o3 | 0o100  # O_WRONLY, O_RDWR, O_CREAT
_LIBRARIES = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}
_FOLDERS = [str(root / name) for root in _LIBRARIES for name in ("lib", "lib64")]


def _format(name: str) -> ModuleType:
    """Load a module of the folder `formats`, and of Parley nothing else."""
    package = ModuleType("formats")
    package.__path__ = [str(Path(__file__).with_name("formats"))]
    sys.modules.setdefault("formats", package)
    return importlib.import_module(f"formats.{name}")


_RESULT = _format("result")


def main(kind: str, most: int, seconds: int) -> None:
    """Print what the file at standard input says."""
    signal.alarm(seconds + 5)  # For the case that whoever started this is gone.
    sandbox = _beside("sandbox")
    sandbox.limit(_MEMORY, seconds)
    if kind == "tried":
        trial = _beside("sandbox_trial")
        missing = sandbox.confine(_FOLDERS)
        word, result = kind, json.dumps({"missing": missing, "refused": trial.refused()}).encode()
    else:
        try:
            reader = _reader(kind)
            sandbox.confine(_FOLDERS)
            sys.addaudithook(guard)
            word, result = reader(sys.stdin.buffer.read(), most)
        except _RESULT.ReadRefused as refused:
            word, result = refused.args[0], "".join(refused.args[1:]).encode()
        except MemoryError:
            word, result = "too_large", b""
    sys.stdout.buffer.write(word.encode() + b"\n" + result)


def _beside(name: str) -> ModuleType:
    """A module of Parley's that stands beside this one, and nothing else of it."""
    module = ModuleType(name)
    SourceFileLoader(name, str(Path(__file__).with_name(f"{name}.py"))).exec_module(module)
    return module


def guard(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: no connection, no program, and no file but the libraries' own, to be read."""
    if event.startswith(_FORBIDDEN):
        raise PermissionError(event)
    if event == "open" and isinstance(arguments[0], str | bytes):
        flags = arguments[2]
        ours = any(Path(os.fsdecode(arguments[0])).resolve().is_relative_to(root) for root in _LIBRARIES)
        if not ours or (isinstance(flags, int) and flags & _WRITING):
            raise PermissionError(str(arguments[0]))


def _reader(kind: str) -> ReadFunction:
    """Return how to read this kind, its libraries loaded."""
    if kind == "unseen":
        return _unseen()
    try:
        read: ReadFunction = _format(_FORMATS[kind]).read
    except ModuleNotFoundError as error:
        raise _RESULT.ReadRefused("missing", error.name or "") from error
    return read


def _unseen() -> ReadFunction:
    sniff = _beside("sniff")

    def read(content: bytes, most: int) -> tuple[str, bytes]:
        kind: str = sniff.kind_of(content)
        if kind == "text" and (text := _decoded(content[: 4 * most + 4])) is not None:
            found: tuple[str, bytes] = _RESULT.text_result(text, most, bare=False)
            return found
        return f"kind/{_package(content) if kind == 'package' else kind}", b""

    return read


def _decoded(content: bytes) -> str | None:
    """A text in an encoding that says what it is; None where that takes guessing."""
    utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return codecs.getincrementaldecoder("utf-16" if utf_16 else "utf-8-sig")().decode(content)
    except UnicodeDecodeError:
        return None


def _package(content: bytes) -> str:
    """Which kind of document a zip archive is."""
    try:
        entries = zipfile.ZipFile(io.BytesIO(content)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise _RESULT.ReadRefused("broken") from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise _RESULT.ReadRefused("locked")
    # What an entry claims is also the most that is ever unpacked of it.
    if len(entries) > _MOST_ENTRIES or sum(entry.file_size for entry in entries) > _MOST_UNPACKED:
        raise _RESULT.ReadRefused("too_large")
    names = {entry.filename for entry in entries}
    for mark, kind in _PACKAGES.items():
        if mark in names:
            return kind
    raise _RESULT.ReadRefused("unknown")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
