"""The console section of config.yaml: the web page's server, and who may reach it."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from parley.channels.kit.config import Section
from parley.console.http.options import MIN_TOKEN
from parley.core.network import is_loopback


class ConsoleSection(Section):
    """The web page's server."""

    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8765, ge=0, le=65535)
    token: str = ""
    names: tuple[str, ...] = ()

    @field_validator("names")
    @classmethod
    def _bare(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not name or any(sign in name for sign in "/:@ "):
                raise ValueError(
                    f'"{name}" must be a name alone, without https:// and port, such as chat.example'
                )
        return tuple(name.lower() for name in value)

    @model_validator(mode="after")
    def _guarded(self) -> ConsoleSection:
        if not self.token and not is_loopback(self.host):
            raise ValueError(
                f'others can reach "{self.host}", so a token is needed: add "token: $CONSOLE_TOKEN" here, '
                "or use host: 127.0.0.1"
            )
        return self

    @field_validator("token")
    @classmethod
    def _hard_to_guess(cls, value: str) -> str:
        if value and len(value) < MIN_TOKEN:
            raise ValueError(
                f"is shorter than {MIN_TOKEN} characters and can be guessed; "
                "use the output of: openssl rand -hex 24"
            )
        return value
