"""What README.md and `docs/` say: commands that people are to type, and parts that are made from tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.kit.checkout import ROOT

SHELL = ("sh", "console")
"""Languages of blocks with commands: each line is one, or each that begins with `$`, above its output."""
OTHER = ("dockerfile", "ini", "json", "python", "sql", "text", "yaml")

_FENCE = re.compile(r"^ *```(\w*)$")
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_COMMENT = re.compile(r"(?:^|\s+)#.*$")
_ASSIGNMENT = re.compile(r'\w+=(?:"[^"]*"|\S*)')
_STARTS = re.compile(
    r"(?:\w+=\S+ +)*(?:echo [^|]*\| *)?(?:[.\w]+/)*"
    r"(?:make|parley|pytest|python|pip|bash|sh|curl|openssl|sqlite3|sudo|apt-get|docker|systemctl)(?: +\S|$)"
)
"""How a command begins, after variables and a pipe; behind it something else, or nothing."""


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its language and its lines."""

    document: str
    line: int
    language: str
    lines: tuple[str, ...]

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


@dataclass(frozen=True)
class Command:
    """What somebody is to type, without prompt and comment; `before` are the block's assignments above it.

    `output` is what the document shows of it.
    """

    place: str
    text: str
    before: tuple[str, ...] = ()
    output: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GeneratedPart:
    """What stands between two comments with its name, in a document of docs/; running `module` writes it."""

    document: str
    name: str
    module: str

    @property
    def path(self) -> Path:
        """The document."""
        return ROOT / "docs" / self.document

    def write(self, text: str) -> None:
        """Put the text there."""
        self.path.write_text(self._with(self.path.read_text("utf-8"), text), "utf-8")

    def check(self, text: str) -> None:
        """Fail unless the text stands there."""
        document = self.path.read_text("utf-8")
        assert document == self._with(document, text), f"run: python -m {self.module}"

    def _with(self, document: str, text: str) -> str:
        begin, end = f"<!-- {self.name}: begin -->\n", f"<!-- {self.name}: end -->"
        head, opened, rest = document.partition(begin)
        _, closed, tail = rest.partition(end)
        assert opened and closed, f"docs/{self.document} has no place for {self.name}"  # noqa: PT018
        return f"{head}{begin}{text}{end}{tail}"


def documents() -> dict[str, str]:
    """Return the text of each document by its path."""
    top = ("README.md", "README.zh.md", "CONTRIBUTING.md", "SECURITY.md")
    paths = (*(ROOT / name for name in top), *sorted((ROOT / "docs").rglob("*.md")))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


def blocks(document: str, text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a document."""
    opened, language, found = 0, "", list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if fence is None:
            found.append(line)
        elif opened:
            yield Block(document, opened, language, tuple(found))
            opened = 0
        else:
            opened, language, found = number, fence[1], []


def commands(block: Block) -> Iterator[Command]:
    """Yield the commands of a block in a shell's language, in their order."""
    before: tuple[str, ...] = ()
    for command in _typed(block):
        if _ASSIGNMENT.fullmatch(command.text):
            before = (*before, command.text)
        elif command.text:
            yield replace(command, before=before)


def _typed(block: Block) -> list[Command]:
    found: list[Command] = []
    continued = False
    for number, line in enumerate(block.lines, block.line + 1):
        text = line.strip().removesuffix("\\").rstrip()
        if continued:
            found[-1] = replace(found[-1], text=f"{found[-1].text} {_COMMENT.sub('', text)}")
        elif block.language == "sh" or text.startswith("$ "):
            found.append(Command(f"{block.document}:{number}", _COMMENT.sub("", text.removeprefix("$ "))))
        elif found:
            found[-1] = replace(found[-1], output=(*found[-1].output, line))
        continued = line.endswith("\\")
    return found


def fenced() -> list[Command]:
    """Return all commands that stand in blocks."""
    return [
        command
        for document, text in documents().items()
        for block in blocks(document, text)
        if block.language in SHELL
        for command in commands(block)
    ]


def mentioned() -> list[Command]:
    """Return all commands that stand in a sentence; they may be named without their arguments."""
    found = []
    for document, text in documents().items():
        inside = {
            number
            for block in blocks(document, text)
            for number in range(block.line, block.line + len(block.lines) + 2)
        }
        for number, line in enumerate(text.splitlines(), 1):
            spans = _SPAN.findall(line) if number not in inside else ()
            found += [Command(f"{document}:{number}", span) for span in spans if is_command(span)]
    return found


def is_command(text: str) -> bool:
    """Tell whether this is what somebody types into a shell, as far as its first word tells."""
    return _STARTS.match(text.strip().removeprefix("$ ")) is not None
