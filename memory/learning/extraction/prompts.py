"""Prompts of extraction: the built-in files, or those of the operator's folder, checked at the start."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

from parley.core.model.errors import ConfigError
from parley.memory.learning.extraction.signals import FeedbackSignals, read_signals
from parley.memory.model.vocabulary import CATEGORIES, TOPICS, USUAL_VOCABULARY, MemoryVocabulary

DEFAULT_FOLDER = Path(__file__).parents[2] / "prompts"
VERSION = 2
_CATEGORIES, _TOPICS, _EXAMPLE = "categories", "topics", "summaries"
_RULES, _TURNS, _UPKEEP, _SIGNALS = "rules.md", "turns.md", "upkeep.md", "signals.yaml"
_PLACES: Mapping[str, frozenset[str]] = {
    _RULES: frozenset(),
    _UPKEEP: frozenset(),
    _TURNS: frozenset(("now", "person", "language", "summaries", "facts", "turns", "hints")),
}
# Places that a prompt may have, and must where the operator names categories and topics.
_OPTIONAL = {_RULES: frozenset((_CATEGORIES, _TOPICS, _EXAMPLE))}
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The system messages `rules` and `upkeep`, the template `turns`, and the hints from `signals`."""

    rules: str
    turns: str
    signals: FeedbackSignals
    upkeep: str

    def render_turns(self, values: Mapping[str, str]) -> str:
        """Return the user message. Values are inserted once: what looks like a place in them stays."""
        return _PLACE.sub(lambda match: values[match[1]], self.turns).strip()


def load_prompts(folder: Path | None = None, vocabulary: MemoryVocabulary = USUAL_VOCABULARY) -> Prompts:
    """Return the prompts of `folder`, and the built-in ones for files that it does not have.

    The rules name the categories and topics of `vocabulary`.

    Raises ConfigError that names the file and what to do when one is missing a place, has one too many, or
    was written for another version.
    """
    if folder is not None and not folder.is_dir():
        raise ConfigError(f"memory.prompts_dir: {folder} is not a folder; make it, or remove the line")
    texts = {name: _read(folder, name) for name in (_RULES, _TURNS, _UPKEEP, _SIGNALS)}
    rules, turns, upkeep = (_checked(*texts[name], name) for name in (_RULES, _TURNS, _UPKEEP))
    rules = _with_vocabulary(rules, texts[_RULES][1], vocabulary)
    return Prompts(rules, turns, read_signals(texts[_SIGNALS][0], texts[_SIGNALS][1]), upkeep)


def _read(folder: Path | None, name: str) -> tuple[str, str]:
    """Return a file's text, and the file's name for messages."""
    own = folder / name if folder is not None else None
    path = own if own is not None and own.exists() else DEFAULT_FOLDER / name
    try:
        return path.read_text("utf-8"), str(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text; check its permissions") from error


def _checked(text: str, file: str, name: str) -> str:
    """Return the text below the head. Raises ConfigError."""
    head = _HEAD.match(text.replace("\r\n", "\n"))
    version = re.search(r"^version:\s*(\d+)\s*$", head[1], re.MULTILINE) if head else None
    if version is None or int(version[1]) != VERSION:
        has = f"is for version {version[1]}" if version else "does not say its version"
        raise ConfigError(
            f"{file}: {has}, and this Parley needs {VERSION}; begin with its memory/prompts/{name} and make "
            "your changes again"
        )
    body = text.replace("\r\n", "\n")[head.end() :] if head else ""
    there, needed = set(_PLACE.findall(body)), _PLACES[name]
    for place in sorted(needed - there):
        raise ConfigError(f"{file}: {{{{{place}}}}} is missing; write it where that belongs")
    for place in sorted(there - needed - _OPTIONAL.get(name, frozenset())):
        raise ConfigError(f"{file}: {{{{{place}}}}} is unknown here; remove it")
    return body.strip()


def _with_vocabulary(rules: str, file: str, vocabulary: MemoryVocabulary) -> str:
    """Return the rules with categories and topics in their places. Raises ConfigError where one must be."""
    named = {_CATEGORIES: vocabulary.categories != CATEGORIES, _TOPICS: vocabulary.topics != TOPICS}
    for place, own in named.items():
        if own and f"{{{{{place}}}}}" not in rules:
            raise ConfigError(
                f"{file}: {{{{{place}}}}} is missing, and memory.{place} names your own; write it where the "
                f"model is to read them, or remove memory.{place}"
            )
    values = _describe(vocabulary)
    return _PLACE.sub(lambda match: values[match[1]], rules)


def _describe(vocabulary: MemoryVocabulary) -> Mapping[str, str]:
    """Return what stands at the places of the rules: names with their descriptions, and an empty answer."""
    return {
        _CATEGORIES: _listed(vocabulary.categories),
        _TOPICS: _listed(vocabulary.topics),
        _EXAMPLE: ", ".join(starmap(_example, vocabulary.sections().items())),
    }


def _example(section: str, topics: Sequence[str]) -> str:
    """Return a section of the answer, with the value of its first topic only."""
    parts = [f'"{topic}": ...' for topic in topics]
    if parts:
        parts[0] = f'"{topics[0]}": {{"shouldUpdate": false, "summary": ""}}'
    return f'"{section}": {{{", ".join(parts)}}}'


def _listed(named: Mapping[str, str]) -> str:
    return "; ".join(f"`{name}` ({text})" if text else f"`{name}`" for name, text in named.items())
