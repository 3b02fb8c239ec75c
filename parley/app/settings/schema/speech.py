"""The transcription and speech sections of config.yaml: services for voice messages."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, field_validator

from parley.agent.speech.options import TranscriptionOptions, VoiceOptions
from parley.app.settings.schema.manager import parse_size
from parley.channels.kit.config import Section


def check_address(value: str) -> str:
    """Return an address, or ""; a validator. Raises ValueError, which does not show a password in it."""
    if value and not value.startswith(("http://", "https://")):
        raise ValueError(f'must start with http:// or https://, not "{value}"')
    if value and not _has_host(value):
        raise ValueError("must be an address with a host, such as http://localhost:8080")
    return value


def _has_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


class TranscriptionSection(Section):
    """Who turns voice messages into words, where a platform does not unasked. Durations are seconds.

    With `by_platform` a platform that does so when it is asked to is asked before the service.
    """

    by_platform: bool = False
    url: str = ""
    model: str = Field(default="whisper-1", min_length=1)
    api_key: str = Field(default="", repr=False)
    language: str = Field(default="", max_length=12)
    max_size: Annotated[int, BeforeValidator(parse_size), Field(ge=1_000)] = 20_000_000
    max_seconds: float = Field(default=300.0, ge=0)
    timeout: float = Field(default=60.0, gt=0, le=600)

    _checked = field_validator("url")(check_address)

    def options(self) -> TranscriptionOptions:
        """Return the same for the client of the service."""
        return TranscriptionOptions(
            self.url,
            self.model,
            self.api_key,
            self.language,
            self.max_size,
            self.max_seconds,
            self.timeout,
        )


class SpeechSection(Section):
    """Who speaks answers to voice messages."""

    url: str = ""
    model: str = Field(default="gpt-4o-mini-tts", min_length=1)
    voice: str = Field(default="alloy", min_length=1)
    api_key: str = Field(default="", repr=False)
    max_characters: int = Field(default=2000, ge=1, le=100_000)
    timeout: float = Field(default=60.0, gt=0, le=600)

    _checked = field_validator("url")(check_address)

    def options(self) -> VoiceOptions:
        """Return the same for the client of the service."""
        return VoiceOptions(self.url, self.model, self.voice, self.api_key, self.max_characters, self.timeout)
