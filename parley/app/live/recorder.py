"""Writes what goes over a channel's wire to a file, cleaned, as it happens."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path

from parley.app.live.clean import Cleaner
from parley.app.live.decode import decode_exchange, decode_frame, decode_post
from parley.channels.kit.http.wire_listener import WireExchange
from parley.core.model.types import Json

_OWNER_ONLY = 0o600
_DROPPED: dict[str, Json] = {"kind": "dropped"}


class Recorder:
    """A recording in a new file that only its owner can read. `secrets` never get into it.

    Raises FileExistsError where the file is there already.
    """

    def __init__(self, file: Path, secrets: Collection[str], ours: Collection[str]) -> None:
        self._cleaner = Cleaner(ours)
        self._secrets = tuple(secrets)
        self._file = os.fdopen(
            os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "w", encoding="utf-8"
        )
        self.records = 0

    def on_exchange(self, exchange: WireExchange) -> None:
        """Record a request and its response."""
        record = decode_exchange(exchange)
        path, host = str(record.pop("path")), str(record.pop("host"))
        self._write(record, {"path": self._cleaner.path(path), "host": host.rpartition("@")[2]})

    def on_frame(self, data: str | bytes, *, inward: bool) -> None:
        """Record a frame."""
        if (record := decode_frame(data, inward=inward)) is not None:
            self._write(record)

    def on_post(self, path: str, body: bytes) -> None:
        """Record what was posted to a hook."""
        record = decode_post(path, body)
        self._write(record, {"path": str(record.pop("path"))})

    def note(self, step: str, heard: str) -> None:
        """Record what the channel made of what it heard."""
        self._write({"kind": "heard", "step": step, "heard": heard})

    def close(self) -> None:
        """End the recording."""
        self._file.close()

    def _write(self, record: dict[str, Json], whole: dict[str, Json] | None = None) -> None:
        if self._file.closed:
            return
        cleaned = self._cleaner.clean(record)
        line = json.dumps((cleaned if isinstance(cleaned, dict) else {}) | (whole or {}), ensure_ascii=False)
        if any(secret in line for secret in self._secrets):
            line = json.dumps(_DROPPED)
        self._file.write(line + "\n")
        self._file.flush()
        self.records += 1
