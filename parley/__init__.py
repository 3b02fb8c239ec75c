"""Parley puts any LangGraph agent into the team's chats.

`parley.Client` and `parley.AsyncClient` are loaded when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parley.client.async_client import AsyncClient
    from parley.client.errors import ClientError
    from parley.client.sync_client import Client

__all__ = ["AsyncClient", "Client", "ClientError"]

_HOMES = {"AsyncClient": "async_client", "Client": "sync_client", "ClientError": "errors"}

if not TYPE_CHECKING:  # for a checker of types there is nothing but those

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"parley.client.{_HOMES[name]}"), name)
