"""The web channel: the platform is ourselves."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from parley.channels.kit.webhook import ServesHttp
from parley.channels.web import privacy, sentences
from parley.channels.web.api.chat_routes import ChatApi
from parley.channels.web.api.file_routes import FileApi
from parley.channels.web.api.inbox import WebInbox
from parley.channels.web.chat.memory_watch import MemoryWatch
from parley.channels.web.chat.reply import WebReply
from parley.channels.web.chat.service import ChatService
from parley.channels.web.config import Config
from parley.core.model.address import User
from parley.core.model.attachments import Attachment
from parley.core.model.errors import ChannelUnavailable, StoreUnavailable
from parley.core.model.feedback import CommentWay
from parley.core.model.types import ReplyTarget
from parley.core.ports.channel import (
    Capabilities,
    Channel,
    ChannelServices,
    Checkpoint,
    Inbox,
    Reply,
)
from parley.core.privacy.sources import ExportPiece
from parley.core.state.people import PersonRepository

_PAGE = Path(__file__).parent / "page"
_EDIT_INTERVAL = 0.06
_MAX_CHARS = 2_000_000


class WebChannel(Channel, ServesHttp):
    """The chat page, its API, and the transcript behind them."""

    name = "web"

    def __init__(
        self, config: Config, services: ChannelServices, clock: Callable[[], float] = time.time
    ) -> None:
        self.capabilities = Capabilities(
            max_chars=_MAX_CHARS,
            edit_interval=_EDIT_INTERVAL,
            group_edit_interval=_EDIT_INTERVAL,
            buttons=True,
            edits=True,
            comments=CommentWay.FORM,
        )
        self._desk = ChatService.create(services, clock)
        self._door = WebInbox(config.name, clock)
        people = PersonRepository(services.documents, clock)
        self._memory = MemoryWatch(people, self._door.person, self._desk.feed.publish)
        services.memory_changes.subscribe(self._memory.on_change)
        self._api = ChatApi(config, services.commands, self._desk, self._door, edits=services.reruns)
        self._files = FileApi(self._desk.shelf, self._desk.transcript, config.max_upload)

    async def listen(self, inbox: Inbox) -> None:
        """Take messages from the page until cancelled; while nobody listens, it is told to keep them."""
        try:
            await self._desk.shelf.sweep()
        except StoreUnavailable as problem:
            raise ChannelUnavailable("The message store cannot be reached just now.") from problem
        self._door.open(inbox)
        try:
            inbox.online()
            await asyncio.Event().wait()
        finally:
            self._door.close()

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return WebReply(target, self._desk, checkpoint)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        return await self._desk.shelf.copy(attachment.handle, into, limit)

    def kept(self, user: User) -> AsyncIterator[ExportPiece]:
        """Return everything here is of the one person that the page has. Raises StoreUnavailable."""
        return privacy.export_pieces(self._desk) if user.channel == self.name else _nothing()

    async def erase(self, user: User) -> int:
        """Remove it; returns how many conversations and files there were. Raises StoreUnavailable."""
        return await privacy.erase(self._desk) if user.channel == self.name else 0

    def routes(self) -> Sequence[BaseRoute]:
        """Return the page at `/`, its files under `/page`, the API under `/api/chat`."""
        return (
            Route("/", _index, methods=["GET"]),
            Route(sentences.PATH, sentences.serve_sentences, methods=["GET"]),
            Mount("/page", _Files(directory=_PAGE)),
            *self._api.routes(),
            *self._files.routes(),
        )


class _Files(StaticFiles):
    """The page's files: always asked for again, so that an upgrade shows at the next load."""

    def file_response(
        self,
        full_path: os.PathLike[str] | str,
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = "no-cache"
        return response


async def _nothing() -> AsyncIterator[ExportPiece]:
    pieces: tuple[ExportPiece, ...] = ()
    for piece in pieces:
        yield piece


async def _index(request: Request) -> Response:
    return FileResponse(_PAGE / "index.html", headers={"cache-control": "no-cache"})


def create(config: Config, services: ChannelServices) -> WebChannel:
    """Return the channel as the composition root builds it."""
    return WebChannel(config, services)
