"""A file on its way to a platform."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Upload:
    """A file that somebody sends."""

    name: str
    content: bytes
    mime: str = "application/octet-stream"
