"""Conversations of the web chat, which the client calls threads."""

from __future__ import annotations

from urllib.parse import quote
from uuid import uuid4

from parley.app.openapi.answers import ConversationsAnswer, MessagesAnswer
from parley.channels.web.chat.entries import ChatConversation
from parley.client.connection import Connection


class ThreadsClient:
    """Threads by id; each method raises ClientError, with status 404 for what is not there."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def list(self) -> ConversationsAnswer:
        """Return every thread, newest activity first, and where replies are growing."""
        return await self._connection.ask(ConversationsAnswer, "GET", _path())

    async def get(self, thread: str) -> ChatConversation:
        """Return one thread, with its topics and what waits there for a decision."""
        return await self._connection.ask(ChatConversation, "GET", _path(thread))

    async def new(self, title: str = "", thread: str = "") -> ChatConversation:
        """Begin a thread, under an id of one's own if one is given."""
        return await self.rename(thread or uuid4().hex, title)

    async def rename(self, thread: str, title: str) -> ChatConversation:
        """Give a thread a title; one that is not there is made."""
        return await self._connection.ask(ChatConversation, "PUT", _path(thread), json={"title": title})

    async def history(self, thread: str, *, topic: str = "", before: str = "") -> MessagesAnswer:
        """Return the newest 60 messages and replies, oldest first; its `before` leads to older ones."""
        path = _path(thread, "/messages")
        return await self._connection.ask(MessagesAnswer, "GET", path, topic=topic, before=before)

    async def stop(self, thread: str, *, topic: str = "") -> None:
        """Stop the turn that runs in a thread."""
        body = {"id": uuid4().hex, "topic": topic or None}
        await self._connection.send("POST", _path(thread, "/stop"), json=body)

    async def delete(self, thread: str) -> None:
        """Stop what runs in a thread, and delete it with its files."""
        await self._connection.send("DELETE", _path(thread))


def _path(thread: str = "", below: str = "") -> str:
    return thread_path(thread) + below if thread else "/api/chat/conversations"


def thread_path(thread: str) -> str:
    """Return the path of a thread."""
    return f"/api/chat/conversations/{quote(thread, safe='')}"
