"""Conversations of the web chat, which the client calls threads."""

from __future__ import annotations

from uuid import uuid4

from parley.app.openapi.answers import ConversationsAnswer, MessagesAnswer
from parley.channels.web.chat.entries import ChatConversation
from parley.client.connection import Connection
from parley.client.paths import api_path


class ThreadsClient:
    """Threads by id; each method raises ClientError, with status 404 for what is not there."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def list(self) -> ConversationsAnswer:
        """Return every thread, newest activity first, and where replies are growing."""
        return await self._connection.ask(ConversationsAnswer, "GET", thread_path())

    async def get(self, thread: str) -> ChatConversation:
        """Return one thread, with its topics and what waits there for a decision."""
        return await self._connection.ask(ChatConversation, "GET", thread_path(thread))

    async def new(self, title: str = "", thread: str = "") -> ChatConversation:
        """Begin a thread, under an id of one's own if one is given."""
        return await self.rename(thread or uuid4().hex, title)

    async def rename(self, thread: str, title: str) -> ChatConversation:
        """Give a thread a title; one that is not there is made."""
        return await self._connection.ask(ChatConversation, "PUT", thread_path(thread), json={"title": title})

    async def history(self, thread: str, *, topic: str = "", before: str = "") -> MessagesAnswer:
        """Return the newest 60 messages and replies, oldest first; its `before` leads to older ones."""
        path = thread_path(thread, "messages")
        return await self._connection.ask(MessagesAnswer, "GET", path, topic=topic, before=before)

    async def stop(self, thread: str, *, topic: str = "") -> None:
        """Stop the turn that runs in a thread."""
        body = {"id": uuid4().hex, "topic": topic or None}
        await self._connection.send("POST", thread_path(thread, "stop"), json=body)

    async def delete(self, thread: str) -> None:
        """Stop what runs in a thread, and delete it with its files."""
        await self._connection.send("DELETE", thread_path(thread))


def thread_path(*below: str) -> str:
    """Return the path of all threads, of one, or of something in it. Raises ClientError."""
    return api_path("chat", "conversations", *below)
