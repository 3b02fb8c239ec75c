"""The sections of config.yaml. The defaults here are what runs when there is no file."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, InstanceOf, field_validator, model_validator

from parley.app.settings.schema.limits import LimitsSection
from parley.app.settings.schema.memory import MemorySection
from parley.app.settings.schema.questions import QuestionsSection
from parley.app.settings.schema.retention import RetentionSection, with_old_audit_days
from parley.app.settings.schema.store import StoreSection
from parley.channels.kit.config import ChannelConfig, Section, SessionConfig
from parley.console.http.options import MIN_TOKEN, is_loopback

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(|B|KB|MB|GB)", re.IGNORECASE)
_GRAPH = re.compile(r".+:[A-Za-z_]\w*")
_UNITS = {"": 1, "B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}


def _bytes(value: object) -> object:
    if not isinstance(value, str):
        return value
    match = _SIZE.fullmatch(value.strip())
    if match is None:
        raise ValueError('must be a size, such as "20 MB"')
    return int(float(match[1]) * _UNITS[match[2].upper()])


class AgentSection(Section):
    """Where the agent runs, and how its runs are made."""

    url: str = "embedded"
    assistant: str = Field(default="agent", min_length=1)
    api_key: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    mode: Literal["stream", "wait"] = "stream"
    when_busy: Literal["queue", "merge", "interrupt", "reject"] = "queue"
    on_edit: Literal["ignore", "rerun"] = "ignore"
    graphs: dict[str, str] = Field(default_factory=dict)
    model: str = ""
    base_url: str = ""
    model_api_key: str = ""
    report_tokens: bool = False
    models: tuple[str, ...] = ()
    gateway_url: str = ""
    recursion_limit: int = Field(default=100, ge=1, le=100_000)
    images: bool = True
    notify_after: float = Field(default=10.0, gt=0)
    give_up_after: float = Field(default=900.0, gt=0)
    still_working_after: float = Field(default=60.0, ge=0)
    timeout: float = Field(default=0.0, ge=0)

    @field_validator("url")
    @classmethod
    def _server(cls, value: str) -> str:
        if value != "embedded" and not value.startswith(("http://", "https://")):
            raise ValueError(f'must be "embedded" or start with http:// or https://, not "{value}"')
        return value

    @field_validator("graphs")
    @classmethod
    def _places(cls, value: dict[str, str]) -> dict[str, str]:
        for name, place in value.items():
            if not _GRAPH.fullmatch(place):
                raise ValueError(f'{name} must be "file.py:name" or "module:name", not "{place}"')
        return value

    @field_validator("base_url", "gateway_url")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError(f'must start with http:// or https://, not "{value}"')
        return value

    @model_validator(mode="after")
    def _whole(self) -> AgentSection:
        if self.give_up_after <= self.notify_after:
            raise ValueError("give_up_after must be longer than notify_after")
        if self.embedded and self.model.startswith("openai:") and not self.model_api_key:
            raise ValueError(
                f"model_api_key is empty, and {self.model} needs one; write OPENAI_API_KEY=... in .env "
                '(a server at base_url that asks for none takes any word, such as "none")'
            )
        if self.embedded and self.graphs and self.assistant not in self.graphs:
            raise ValueError(
                f"assistant must be one of the graphs ({', '.join(self.graphs)}), not {self.assistant}"
            )
        return self

    @property
    def choices(self) -> tuple[str, ...]:
        """The models that a person may choose; the embedded server's own comes first."""
        first = (self.model,) if self.embedded and self.model else ()
        return tuple(dict.fromkeys((*first, *self.models)))

    @property
    def embedded(self) -> bool:
        """Whether Parley runs the agent itself."""
        return self.url == "embedded"

    @property
    def demonstrates(self) -> bool:
        """Whether the offline demonstration answers."""
        return self.embedded and not self.graphs and not self.model


class ManagerSection(Section):
    """How much is done at once. Durations are seconds, `max_file` is bytes."""

    max_turns: int = Field(default=2000, ge=1, le=100_000)
    queue_limit: int = Field(default=100, ge=1, le=10_000)
    shutdown_grace: float = Field(default=20.0, ge=0, le=600)
    backlog_rate: float = Field(default=50.0, ge=0, le=10_000)
    max_message_age: float = Field(default=3600.0, ge=0)
    max_file: Annotated[int, BeforeValidator(_bytes), Field(ge=1_000)] = 20_000_000


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


class Settings(Section):
    """Everything that config.yaml says. Every channel that Parley has is in `channels`, on or off."""

    data_dir: str = Field(default="data", min_length=1)
    language: Literal["auto", "en", "zh"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    store: StoreSection = StoreSection()
    agent: AgentSection = AgentSection()
    session: SessionConfig = SessionConfig()
    manager: ManagerSection = ManagerSection()
    memory: MemorySection = MemorySection()
    questions: QuestionsSection = QuestionsSection()
    retention: RetentionSection = RetentionSection()
    limits: LimitsSection = LimitsSection()
    console: ConsoleSection = ConsoleSection()
    channels: dict[str, InstanceOf[ChannelConfig]] = Field(default_factory=dict)

    @property
    def memory_in_store(self) -> bool:
        """Whether memories are in the store; by themselves they are where every node finds them."""
        chosen = self.memory.storage
        return chosen == "store" or (chosen == "auto" and not self.store.embedded)

    @model_validator(mode="before")
    @classmethod
    def _moved(cls, tree: object) -> object:
        return with_old_audit_days(tree)
