"""Reader of the reference system's memory layouts; the files are never changed.

Version 1: one `memory.json` for all, or `users/{user}/memory.json` for each, also under `agents/{agent}/`.
Version 2: the same file without facts, and a Markdown file with front matter for each fact under
`agents/{agent}/facts/`; the agent `__default__` is the one for all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import yaml

from parley.core.model.errors import MemoryFailed
from parley.core.model.types import Json
from parley.memory.model.document import MemoryDocument
from parley.memory.storage.atomic_files import map_os_error
from parley.memory.storage.document_format import ParsedDocument, read_document, read_fact
from parley.memory.storage.json_files import read_person
from parley.memory.text.strict_yaml import read_yaml

_FILE = "memory.json"
_DEFAULT_AGENT = "__default__"
_FRONT = "---\n"


@dataclass(frozen=True, slots=True)
class LegacyMemory:
    """One memory as found: person, assistant ("" for all), and what could not be read."""

    path: Path
    person: str
    assistant: str
    document: MemoryDocument
    unreadable: tuple[str, ...] = ()


def find_legacy_memories(base: Path, person: str) -> tuple[LegacyMemory, ...]:
    """Return every memory at `base`, a file or folder; shared ones are taken as `person`'s.

    Raises MemoryFailed when there is nothing, or a folder cannot be read.
    """
    try:
        found = tuple(_file(base, person, "") if base.is_file() else _folders(base, person))
    except OSError as error:
        raise map_os_error(base, error) from error
    if not found:
        raise MemoryFailed(
            f"There is no memory at {base}. Name a memory.json, or the folder that holds it or users/."
        )
    return found


def _folders(base: Path, person: str) -> Iterator[LegacyMemory]:
    yield from _memory(base, person)
    users = base / "users"
    for folder in sorted(users.iterdir()) if users.is_dir() else []:
        if folder.is_dir():
            yield from _memory(folder, read_person(folder))


def _memory(folder: Path, person: str) -> Iterator[LegacyMemory]:
    yield from _file(folder / _FILE, person, "")
    agents = folder / "agents"
    for agent in sorted(agents.iterdir()) if agents.is_dir() else []:
        assistant = "" if agent.name == _DEFAULT_AGENT else agent.name
        yield from _file(agent / _FILE, person, assistant)
        facts = agent / "facts"
        if facts.is_dir():
            yield _markdown(facts, person, assistant)


def _file(path: Path, person: str, assistant: str) -> Iterator[LegacyMemory]:
    if not path.is_file():
        return
    try:
        read = read_document(path.read_text("utf-8-sig"))
    except ValueError as error:
        read = ParsedDocument(MemoryDocument(), (f"{path}: {error}",))
    yield LegacyMemory(path, person, assistant, read.document, read.rejected)


def _markdown(folder: Path, person: str, assistant: str) -> LegacyMemory:
    facts, unreadable = [], []
    for path in sorted(folder.rglob("*.md")):
        try:
            fact = read_fact(_front_matter(path.read_text("utf-8")))
        except (ValueError, TypeError, RecursionError, yaml.YAMLError) as error:
            unreadable.append(f"{path}: {error}")
            continue
        if fact is None:
            unreadable.append(f"{path}: no content")
        else:
            facts.append(fact)
    # Files are named by a hash of their ids: only the times show the order of learning.
    ordered = sorted({fact.id: fact for fact in facts}.values(), key=lambda fact: fact.created_at)
    return LegacyMemory(folder, person, assistant, MemoryDocument(facts=tuple(ordered)), tuple(unreadable))


def _front_matter(text: str) -> Json:
    """Return the fields of a fact's file; the text under them, without its heading, is the content."""
    lines = text.replace("\r\n", "\n")
    if not lines.startswith(_FRONT) or "\n" + _FRONT not in lines[len(_FRONT) - 1 :]:
        raise ValueError("no front matter")
    front, body = lines[len(_FRONT) - 1 :].split("\n" + _FRONT, 1)
    fields = read_yaml(front)
    if not isinstance(fields, dict):
        raise ValueError("the front matter is not a mapping")
    heading, _, rest = body.strip("\n").partition("\n")
    content = rest if heading.startswith("# ") else body
    value: dict[str, Json] = json.loads(json.dumps(fields, default=_time))
    return value | {"content": content.strip() or value.get("content")}


def _time(value: object) -> str:
    """Return a time as text: YAML parses one that is not quoted."""
    if isinstance(value, date):
        return value.isoformat()
    raise ValueError(f"{value!r} is not plain")


def as_general_memory(source: LegacyMemory) -> LegacyMemory:
    """Return the source as part of its person's one memory for all assistants."""
    return replace(source, assistant="")
