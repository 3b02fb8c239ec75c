"""Options of speech services. Apart from the client of them, so that settings are read without it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TranscriptionOptions:
    """What hears; off without a `url`. `language` is what is spoken, "" for any; 0 seconds is no limit."""

    url: str = ""
    model: str = ""
    api_key: str = ""
    language: str = ""
    max_size: int = 20_000_000
    max_seconds: float = 300.0
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class VoiceOptions:
    """What speaks; off without a `url`."""

    url: str = ""
    model: str = ""
    voice: str = ""
    api_key: str = ""
    max_characters: int = 2000
    timeout: float = 60.0
