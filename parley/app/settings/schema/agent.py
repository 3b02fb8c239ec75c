"""The agent section of config.yaml: where the agent runs, and how its runs are made."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Literal

from pydantic import Field, field_validator, model_validator

from parley.app.settings.schema.service_address import check_address, shown
from parley.channels.kit.config import Section
from parley.core.network import split_credentials

_GRAPH = re.compile(r".+:[A-Za-z_]\w*")
_WILD = re.compile(r"[*?\[]")


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
    assistants: tuple[str, ...] | None = None
    gateway_url: str = ""
    recursion_limit: int = Field(default=100, ge=1, le=100_000)
    images: bool = True
    thoughts: bool = False
    notify_after: float = Field(default=10.0, gt=0)
    give_up_after: float = Field(default=900.0, gt=0)
    still_working_after: float = Field(default=60.0, ge=0)
    timeout: float = Field(default=0.0, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _credentials(cls, raw: object) -> object:
        """Take user and password out of an address, which is shown, logged and told to other nodes.

        They become a header, unless there is one.
        """
        if not isinstance(raw, dict) or not isinstance(raw.get("url"), str):
            return raw
        address, credentials = split_credentials(raw["url"])
        headers = raw.get("headers") or {}
        bare = isinstance(headers, dict) and "authorization" not in map(str.lower, map(str, headers))
        if credentials and bare:
            basic = f"Basic {b64encode(credentials.encode()).decode()}"
            return {**raw, "url": address, "headers": {**headers, "Authorization": basic}}
        return {**raw, "url": address}

    @field_validator("url")
    @classmethod
    def _server(cls, value: str) -> str:
        if value != "embedded" and not value.startswith(("http://", "https://")):
            raise ValueError(f'must be "embedded" or start with http:// or https://, not "{shown(value)}"')
        return value if value == "embedded" else check_address(value)

    @field_validator("graphs")
    @classmethod
    def _places(cls, value: dict[str, str]) -> dict[str, str]:
        for name, place in value.items():
            if not _GRAPH.fullmatch(place):
                raise ValueError(f'{name} must be "file.py:name" or "module:name", not "{place}"')
        return value

    _addresses = field_validator("base_url", "gateway_url")(check_address)

    @field_validator("gateway_url")
    @classmethod
    def _gateway(cls, value: str) -> str:
        if split_credentials(value)[1]:
            raise ValueError("must be without user and password: `headers` go there, too")
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
        """The models that are named; the embedded server's own comes first."""
        first = (self.model,) if self.embedded and self.model else ()
        return tuple(dict.fromkeys((*first, *(name for name in self.models if not _WILD.search(name)))))

    @property
    def listed_models(self) -> tuple[str, ...]:
        """Those that a person may choose, where no other list is asked for."""
        return () if self.asks_gateway else self.choices

    @property
    def asks_gateway(self) -> bool:
        """Whether `gateway_url` tells what there is: where nothing is named, or by patterns only."""
        return bool(self.gateway_url) and (not self.choices or self.offered_models is not None)

    @property
    def offered_models(self) -> tuple[str, ...] | None:
        """What people may choose of those that there are, by patterns; None for all."""
        return self.models if any(map(_WILD.search, self.models)) else None

    @property
    def embedded(self) -> bool:
        """Whether Parley runs the agent itself."""
        return self.url == "embedded"

    @property
    def built_in(self) -> bool:
        """Whether Parley's own graph answers."""
        return self.embedded and not self.graphs

    @property
    def demonstrates(self) -> bool:
        """Whether the offline demonstration answers."""
        return self.built_in and not self.model
