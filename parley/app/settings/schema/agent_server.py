"""The agent_server section of config.yaml: what the embedded agent server offers to clients of others."""

from __future__ import annotations

import re

from pydantic import Field, field_validator

from parley.channels.kit.config import Section

MEMORY_EMBEDDER = "memory"
"""The embedder that `memory.embedding` names."""

OWN_STORE = "store"
"""The database that `store.url` names."""

_POSTGRES = ("postgresql://", "postgres://")
_PLACE = re.compile(r"[^\s:][^\n]{0,500}:[A-Za-z_]\w{0,100}")
_ORIGIN = re.compile(r"https?://[\w.\[\]:-]{1,253}")
_HOST = re.compile(r"[\w.:-]{1,253}")


class StoreIndexSection(Section):
    """How items of the store are found by meaning: the keys of `store.index` in a langgraph.json."""

    embed: str = ""
    dims: int = Field(default=0, ge=0, le=100_000)
    fields: tuple[str, ...] = ("$",)

    @field_validator("embed")
    @classmethod
    def _embedder(cls, value: str) -> str:
        if value and value != MEMORY_EMBEDDER and ":" not in value:
            raise ValueError(f'must be "memory", "provider:model" or "file.py:name", not "{value}"')
        return value


class AgentServerSection(Section):
    """Who comes in, which pages may use it, and which hosts of your own network it tells of ended runs.

    `database` is where its state is: "" for a file in the data folder, "store" for the store's PostgreSQL.
    """

    auth: str = ""
    database: str = Field(default="", repr=False)
    cors_origins: tuple[str, ...] = ()
    webhook_hosts: tuple[str, ...] = ()
    store_index: StoreIndexSection = StoreIndexSection()

    @field_validator("auth")
    @classmethod
    def _handlers(cls, value: str) -> str:
        if value and not _PLACE.fullmatch(value):
            raise ValueError(f'must be "file.py:name" or "module:name", not "{value}"')
        return value

    @field_validator("database")
    @classmethod
    def _place(cls, value: str) -> str:
        if value not in ("", OWN_STORE) and not value.startswith(_POSTGRES):
            # The value may hold a password: it is not repeated.
            raise ValueError('must be "store", start with postgresql://, or be left out')
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
