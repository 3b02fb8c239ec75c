"""The transcription and speech sections of config.yaml: services for voice messages."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from parley.agent.speech.options import TranscriptionOptions, VoiceOptions
from parley.app.settings.schema.manager import parse_size
from parley.app.settings.schema.service_address import check_address
from parley.channels.kit.config import Section


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
