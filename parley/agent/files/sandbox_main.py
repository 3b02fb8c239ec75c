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
import io
import json
import os
import signal
import sys
import zipfile
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

ReadFunction = Callable[[bytes, int], tuple[str, bytes]]

_MEMORY = 512_000_000
_MOST_UNPACKED = 100_000_000
_MOST_ENTRIES = 5_000
# A workbook above this takes minutes through pandas, and its beginning is all that would be kept.
_LARGE_SHEETS = 2_000_000
_PICTURES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
}
_READABLE = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_MOST_PIXELS = 100_000_000
_MOST_PICTURE = 3_500_000
_LONGEST_SIDE = 8_000
_SHRUNK_SIDE = 2_048
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


class ReadRefused(Exception):
    """The file cannot be read; the first argument is the word for it, the second what goes with it."""


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
        except ReadRefused as refused:
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
    """How to read this kind, its libraries loaded."""
    special = {
        "unseen": _unseen,
        "large_xlsx": _large_workbook,
        "pdf": _pdf,
        "text": _text,
        "image": _picture,
    }
    try:
        return special[kind]() if kind in special else _document(kind)
    except ModuleNotFoundError as error:
        raise ReadRefused("missing", error.name or "") from error


def _unseen() -> ReadFunction:
    sniff = _beside("sniff")

    def read(content: bytes, most: int) -> tuple[str, bytes]:
        kind: str = sniff.kind_of(content)
        if kind == "text" and (text := _decoded(content[: 4 * most + 4])) is not None:
            return _written(text, most, bare=False)
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
        raise ReadRefused("broken") from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise ReadRefused("locked")
    # What an entry claims is also the most that is ever unpacked of it.
    if len(entries) > _MOST_ENTRIES or sum(entry.file_size for entry in entries) > _MOST_UNPACKED:
        raise ReadRefused("too_large")
    sizes = {entry.filename: entry.file_size for entry in entries}
    if "xl/workbook.xml" in sizes:
        sheets = sum(size for name, size in sizes.items() if name.startswith(("xl/worksheets/", "xl/shared")))
        return "large_xlsx" if sheets > _LARGE_SHEETS else "xlsx"
    for kind, mark in {
        "docx": "word/document.xml",
        "pptx": "ppt/presentation.xml",
        "epub": "META-INF/container.xml",
    }.items():
        if mark in sizes:
            return kind
    raise ReadRefused("unknown")


def _document(kind: str) -> ReadFunction:
    convert = _converter(kind)
    return lambda content, most: _written(convert(content), most)


def _converter(kind: str) -> Callable[[bytes], str]:
    # It tells what a file is by a model, with a thread and 40 MB; we know that already.
    sys.modules["magika"] = ModuleType("magika")
    from markitdown import StreamInfo, converters

    made = {
        "docx": converters.DocxConverter,
        "xlsx": converters.XlsxConverter,
        "pptx": converters.PptxConverter,
        "epub": converters.EpubConverter,
        "html": converters.HtmlConverter,
        "pdf": converters.PdfConverter,
    }[kind]()
    return lambda content: made.convert(io.BytesIO(content), StreamInfo(extension=f".{kind}")).markdown


def _pdf() -> ReadFunction:
    import pypdfium2

    convert = _converter("pdf")

    def read(content: bytes, most: int) -> tuple[str, bytes]:
        """Its beginning is enough: the slow converter gets only the pages that it takes to fill the limit."""
        try:
            document = pypdfium2.PdfDocument(content)
        except pypdfium2.PdfiumError as error:
            raise ReadRefused("locked" if "password" in str(error).lower() else "broken") from error
        pages: list[str] = []
        while len(pages) < len(document) and sum(map(len, pages)) <= most:
            pages.append(document[len(pages)].get_textpage().get_text_range())
        if not "".join(pages).strip():
            raise ReadRefused("empty")
        if len(pages) < len(document):
            beginning, file = pypdfium2.PdfDocument.new(), io.BytesIO()
            beginning.import_pages(document, list(range(len(pages))))
            beginning.save(file)
            content = file.getvalue()
        text = convert(content)
        # Of a page that its own parser does not understand it gives nothing.
        return _written(text if text.strip() else "\n\n".join(pages), most)

    return read


def _large_workbook() -> ReadFunction:
    import openpyxl

    def rows(content: bytes) -> Iterator[str]:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        for sheet in book:
            yield f"## {sheet.title}"
            for row in sheet.iter_rows(values_only=True):
                yield "| " + " | ".join("" if cell is None else str(cell) for cell in row) + " |"

    def read(content: bytes, most: int) -> tuple[str, bytes]:
        lines, length = [], 0
        for line in rows(content):
            lines.append(line)
            length += len(line) + 1
            if length > most:
                break
        return _written("\n".join(lines), most)

    return read


def _text() -> ReadFunction:
    from charset_normalizer import from_bytes

    def read(content: bytes, most: int) -> tuple[str, bytes]:
        best = from_bytes(content[: 8 * most]).best()
        if best is None:
            raise ReadRefused("unknown")
        return _written(str(best), most)

    return read


def _picture() -> ReadFunction:
    from PIL import Image, ImageOps, UnidentifiedImageError

    Image.init()
    Image.MAX_IMAGE_PIXELS = _MOST_PIXELS // 2  # Twice this is refused.

    def read(content: bytes, most: int) -> tuple[str, bytes]:
        try:
            image = Image.open(io.BytesIO(content), formats=_READABLE)
            fits = len(content) <= _MOST_PICTURE and max(image.size) <= _LONGEST_SIDE
            if not fits:
                image.draft("RGB", (_SHRUNK_SIDE, _SHRUNK_SIDE))  # A large JPEG is never unpacked whole.
            image.load()
        except Image.DecompressionBombError as error:
            raise ReadRefused("too_large") from error
        except UnidentifiedImageError as error:
            raise ReadRefused("broken") from error
        if fits and image.format in _PICTURES:
            return _PICTURES[image.format], content
        image.thumbnail((_SHRUNK_SIDE, _SHRUNK_SIDE))
        ImageOps.exif_transpose(image, in_place=True)
        return _saved(image)

    return read


def _saved(image: Image) -> tuple[str, bytes]:
    file = io.BytesIO()
    if image.has_transparency_data:
        image.convert("RGBA").save(file, "PNG")
        return "image/png", file.getvalue()
    image.convert("RGB").save(file, "JPEG", quality=85)
    return "image/jpeg", file.getvalue()


def _written(text: str, most: int, *, bare: bool = True) -> tuple[str, bytes]:
    if not text.strip():
        raise ReadRefused("empty")
    text = text.strip() if bare else text
    return "text/plain", text[: most + 1].encode("utf-8", "replace")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
