"""A recording as it is read: whoever made it, it is bounded, and a mistake in it is named with its line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from parley.app.live.recorder import FORMAT
from parley.app.live.steps import STEPS
from parley.core.model.errors import ParleyError
from parley.core.model.types import Json, JsonObject
from parley.simulator.registry import platforms

MOST_BYTES = 16 << 20
MOST_LINE = 4 << 20
MOST_RECORDS = 50_000
_MOST_CAME = 20
_LONGEST_TEXT = 10_000
_KINDS = frozenset({"recording", "step", "heard", "result", "call", "frame", "post", "dropped"})
_STEP_NAMES = frozenset(step.name for step in STEPS)
_HEARD = frozenset({"message", "press", "other"})
_ANEW = "record anew with `parley check --live CHANNEL`, or delete the line"


class RecordingMistake(ParleyError):
    """A file that is no recording, or one that was damaged."""


@dataclass(frozen=True, slots=True)
class DoneStep:
    """A step that an operator did: the shapes of the texts that came."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """What was recorded of a platform, in order."""

    platform: str
    records: tuple[JsonObject, ...] = field(repr=False)

    @property
    def steps(self) -> tuple[DoneStep, ...]:
        """Return the steps that were done, without those that were skipped."""
        done = []
        for step in STEPS:
            heard = [each for each in self.records if each["kind"] == "heard" and each["step"] == step.name]
            texts = [str(each.get("text", ""))[:_LONGEST_TEXT] for each in heard if each["what"] != "other"]
            if texts:
                done.append(DoneStep(step.name, tuple(texts[:_MOST_CAME])))
        return tuple(done)


def read_recording(file: Path) -> Recording:
    """Return the recording in a file. Raises RecordingMistake."""
    try:
        with file.open("rb") as opened:
            if (size := file.stat().st_size) > MOST_BYTES:
                raise RecordingMistake(f"{file}: {size} bytes are too many for a recording ({MOST_BYTES}).")
            records = _read_lines(file, opened.read(MOST_BYTES).splitlines())
    except OSError as error:
        raise RecordingMistake(f"{file}: cannot be read: {error.strerror}; check the path.") from error
    first = records[0] if records else {}
    if first.get("kind") != "recording" or first.get("format") != FORMAT:
        raise RecordingMistake(f"{file}:1: this is no recording of this version of Parley; {_ANEW}.")
    if not _is_one_of(first.get("platform"), frozenset(platforms())):
        known = ", ".join(platforms())
        raise RecordingMistake(f"{file}:1: `platform` must be one that is simulated: {known}; correct it.")
    return Recording(str(first["platform"]), tuple(records))


def _read_lines(file: Path, lines: list[bytes]) -> list[JsonObject]:
    if len(lines) > MOST_RECORDS:
        raise RecordingMistake(f"{file}:{MOST_RECORDS + 1}: a recording has at most so many lines; cut it.")
    records = []
    for number, line in enumerate(lines, 1):
        if (mistake := _mistake(line, record := _read_line(line))) or record is None:
            raise RecordingMistake(f"{file}:{number}: {mistake}; {_ANEW}.")
        records.append(record)
    return records


def _read_line(line: bytes) -> JsonObject | None:
    try:
        found: Json = json.loads(line) if len(line) <= MOST_LINE else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _mistake(line: bytes, record: JsonObject | None) -> str:
    if record is None:
        return f"this is no JSON object of at most {MOST_LINE} bytes"
    if not _is_one_of(record.get("kind"), _KINDS):
        return "`kind` is none that a recording has"
    if record["kind"] in ("step", "heard", "result") and not _is_one_of(record.get("step"), _STEP_NAMES):
        return "`step` is none of the walk"
    if record["kind"] == "heard" and not _is_one_of(record.get("what"), _HEARD):
        return "`what` must be message, press or other"
    if record["kind"] == "call" and not isinstance(record.get("path"), str):
        return "`path` is missing"
    return ""


def _is_one_of(value: Json, words: frozenset[str]) -> bool:
    return isinstance(value, str) and value in words
