"""Writes what goes over a channel's wire to a file, cleaned, as it happens."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection
from pathlib import Path

from parley.app.live.clean import METHODS, Cleaner, shape
from parley.app.live.decode import decode_exchange, decode_frame, decode_post
from parley.app.live.vocabulary import read_vocabulary
from parley.channels.kit.http.wire_listener import WireExchange
from parley.core.model.types import Json
from parley.version import VERSION

FORMAT = 1
"""Of the file: its first line says it."""
_OWNER_ONLY = 0o600
_SHORTEST_SECRET = 4


class Recorder:
    """A recording of a platform in a new file that only its owner can read.

    `secrets` are those of the configuration: a line that has one in it is not written, whatever the cleaning
    made of it. Raises FileExistsError where the file is there already.
    """

    def __init__(
        self, file: Path, platform: str, secrets: Collection[str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._cleaner = Cleaner(read_vocabulary(platform))
        self._secrets = tuple(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)
        self._clock, self._began = clock, clock()
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        self._place = file
        self._file = os.fdopen(opened, "w", encoding="utf-8")
        self._write({"kind": "recording", "format": FORMAT, "platform": platform, "parley": VERSION})

    @property
    def unknown_fields(self) -> tuple[tuple[str, str], ...]:
        """Return what stands in the file for names of fields that were not known, and these."""
        return self._cleaner.unknown

    def on_exchange(self, exchange: WireExchange) -> None:
        """Record a request and its response."""
        record = decode_exchange(exchange)
        method = exchange.method if exchange.method in METHODS else "*"
        self._write(
            {"kind": "call", "method": method, "path": self._cleaner.path(exchange.url)}
            | {"status": exchange.status, "encoding": record["encoding"]}
            | {part: self._cleaner.clean(record[part]) for part in ("query", "body", "headers", "response")}
        )

    def on_frame(self, data: str | bytes, *, inward: bool) -> None:
        """Record a frame."""
        if (record := decode_frame(data, inward=inward)) is not None:
            self._write({"kind": "frame", "inward": inward, "data": self._cleaner.clean(record["data"])})

    def on_post(self, path: str, body: bytes) -> None:
        """Record what was posted to a hook."""
        self._write({"kind": "post", "data": self._cleaner.clean(decode_post(path, body)["data"])})

    def note_step(self, step: str) -> None:
        """Record that a step begins."""
        self._write({"kind": "step", "step": step})

    def note_heard(self, step: str, what: str, text: str = "") -> None:
        """Record what the channel made of an event: a `message` with such a text, or a `press`."""
        self._write({"kind": "heard", "step": step, "what": what, "text": shape(text)})

    def note_result(self, step: str, came: int, wrong: Collection[str]) -> None:
        """Record what came of a step; `wrong` are names of errors."""
        self._write({"kind": "result", "step": step, "came": came, "wrong": list(wrong)})

    def discard(self) -> None:
        """Take the recording away again."""
        self._place.unlink(missing_ok=True)

    def close(self) -> None:
        """End the recording."""
        self._file.close()

    def _write(self, record: dict[str, Json]) -> None:
        if self._file.closed:
            return
        line = json.dumps({"at": round(self._clock() - self._began, 3)} | record, ensure_ascii=False)
        if any(secret in line for secret in self._secrets):
            line = json.dumps({"kind": "dropped"})
        self._file.write(line + "\n")
        self._file.flush()
