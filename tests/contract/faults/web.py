"""Faults that lie in how the web channel itself is made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from parley.channels.web.channel import WebChannel
from parley.channels.web.config import Config
from parley.core.model.errors import DocumentConflict
from parley.core.ports.channel import ChannelServices
from parley.core.ports.journal import Document, DocumentRepository
from tests.contract.drivers.web import WebDriver
from tests.contract.faults.fault import Fault


class ReadsFirst(WebDriver):
    """Parses a message before it looks at it."""

    def build(self, config: Config, services: ChannelServices) -> WebChannel:
        return _Clumsy(config, services)


class _Clumsy(WebChannel):
    def routes(self) -> Sequence[BaseRoute]:
        return tuple(_unchecked(route) for route in super().routes())


def _unchecked(route: BaseRoute) -> BaseRoute:
    if isinstance(route, Route) and route.path.endswith("/messages") and "POST" in (route.methods or ()):
        route.app = _Parsing(route.app)
    return route


class _Parsing:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        json.loads(body)

        async def again() -> dict[str, object]:
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)


class OnlyInMemory(WebDriver):
    """Keeps the transcript where a crash takes it away."""

    def build(self, config: Config, services: ChannelServices) -> WebChannel:
        return WebChannel(config, replace(services, documents=_Memory()))


class _Memory(DocumentRepository):
    def __init__(self) -> None:
        self._kept: dict[str, Document] = {}

    async def get(self, key: str) -> Document:
        return self._kept.get(key, Document(key, "", 0))

    async def set(self, document: Document) -> Document:
        if document.version != (await self.get(document.key)).version:
            raise DocumentConflict("changed meanwhile")
        self._kept[document.key] = replace(document, version=document.version + 1)
        return self._kept[document.key]

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        keys = sorted(key for key in self._kept if key.startswith(prefix) and key > after)
        return [self._kept[key] for key in keys[:limit]]

    async def delete(self, key: str) -> None:
        self._kept.pop(key, None)


FAULTS = (
    Fault("read before checking", "rubbish_is_survived", driver=ReadsFirst),
    Fault("keep the transcript in memory", "begins_again", driver=OnlyInMemory),
)
