"""The agent_server section of config.yaml: what the embedded agent server offers to clients of others."""

from __future__ import annotations

import re

from pydantic import field_validator

from parley.channels.kit.config import Section

_PLACE = re.compile(r"[^\s:][^\n]{0,500}:[A-Za-z_]\w{0,100}")
_ORIGIN = re.compile(r"https?://[\w.\[\]:-]{1,253}")
_HOST = re.compile(r"[\w.:-]{1,253}")


class AgentServerSection(Section):
    """Who comes in, which pages may use it, and which hosts of your own network it tells of ended runs."""

    auth: str = ""
    cors_origins: tuple[str, ...] = ()
    webhook_hosts: tuple[str, ...] = ()

    @field_validator("auth")
    @classmethod
    def _handlers(cls, value: str) -> str:
        if value and not _PLACE.fullmatch(value):
            raise ValueError(f'must be "file.py:name" or "module:name", not "{value}"')
        return value

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            if each != "*" and not _ORIGIN.fullmatch(each):
                raise ValueError(
                    'an origin is scheme, host and port, without a path, such as "http://localhost:3000" '
                    f'(or "*" for pages from anywhere), not "{each}"'
                )
        return value

    @field_validator("webhook_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            if not _HOST.fullmatch(each):
                raise ValueError(f'a host is a name or an address, such as "hooks.example.org", not "{each}"')
        return tuple(each.lower() for each in value)
