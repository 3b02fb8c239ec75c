"""What an agent says of one of its steps, for people to read (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from parley.agent.transport.decoding import string
from parley.core.model.types import Json, Step, StepSource, StepStatus

_MOST_WORDS = 500
_MOST_SOURCES = 5
_MOST_TITLE = 80
_URL = re.compile(r"https?://[^\s<>|]{1,500}")
_STATES = frozenset(StepStatus)


@dataclass(frozen=True, slots=True)
class StepNote:
    """What was said of the step `id`. Fields that are empty change nothing."""

    id: str
    title: str = ""
    status: StepStatus | None = None
    details: str = ""
    output: str = ""
    sources: tuple[StepSource, ...] = ()

    def added_to(self, step: Step) -> Step:
        """Return the step with what was said of it."""
        return replace(
            step,
            title=self.title or step.title,
            status=self.status or step.status,
            details=self.details or step.details,
            output=self.output or step.output,
            sources=self.sources or step.sources,
        )


def parse_step_note(value: Json) -> StepNote | None:
    """Return what the object under `step` says; None for what names no step."""
    if not isinstance(value, dict) or not (identifier := string(value.get("id"))):
        return None
    status = string(value.get("status"))
    return StepNote(
        identifier,
        " ".join(_words(value.get("title"), _MOST_TITLE).split()),
        StepStatus(status) if status in _STATES else None,
        _words(value.get("details"), _MOST_WORDS),
        _words(value.get("output"), _MOST_WORDS),
        tuple(_sources(value.get("sources"))),
    )


def _words(value: Json, most: int) -> str:
    text = string(value)[: most + 1].strip()
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _sources(value: Json) -> Iterator[StepSource]:
    """Return the first addresses of the web, each with its title, or the host in place of one."""
    for entry in value[:_MOST_SOURCES] if isinstance(value, list) else ():
        source = {"url": entry} if isinstance(entry, str) else entry
        url = string(source.get("url")) if isinstance(source, dict) else ""
        if isinstance(source, dict) and _URL.fullmatch(url):
            title = " ".join(_words(source.get("title"), _MOST_TITLE).split())
            yield StepSource(url, title or url.split("/", 3)[2])
