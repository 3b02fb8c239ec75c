"""What a test does with a web channel: as the page, and as the core."""

from dataclasses import dataclass, replace
from typing import Any

import httpx

from parley.channels.web.channel import WebChannel
from parley.core.model.address import Conversation, User
from parley.core.model.attachments import StoredFile
from parley.core.model.questions import Question
from parley.core.model.types import OutboundMessage, ReplyTarget
from parley.core.ports.channel import Reply
from tests.kit.doubles.web import ListInbox

CHAT = "chat-0001"


async def _checkpoint(handle: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Site:
    channel: WebChannel
    inbox: ListInbox
    http: httpx.AsyncClient

    async def post(
        self, message_id: str, text: str = "hello", chat: str = CHAT, **more: object
    ) -> httpx.Response:
        body = {"id": message_id, "text": text, **more}
        return await self.http.post(f"/api/chat/conversations/{chat}/messages", json=body)

    async def page(self, chat: str = CHAT, **query: str) -> dict[str, Any]:
        answer = await self.http.get(f"/api/chat/conversations/{chat}/messages", params=query)
        found: dict[str, Any] = answer.json()
        return found

    async def texts(self, chat: str = CHAT, **query: str) -> list[object]:
        return [entry["text"] for entry in (await self.page(chat, **query))["entries"]]

    async def chats(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.http.get("/api/chat/conversations")).json()["conversations"]
        return found

    async def upload(self, file_id: str, name: str, data: bytes, mime: str = "text/plain") -> httpx.Response:
        return await self.http.post(f"/api/chat/uploads/{file_id}", files={"file": (name, data, mime)})

    def target(self, turn_id: str, chat: str = CHAT, topic: str | None = None) -> ReplyTarget:
        asker = User("web", "local")
        return ReplyTarget(turn_id, Conversation("web", chat, topic), "m", asker, private=True)

    def reply(self, turn_id: str, reply_to: str) -> Reply:
        target = replace(self.target(turn_id), reply_to=reply_to)
        return self.channel.open_reply(target, _checkpoint)

    async def show(self, turn_id: str, text: str, chat: str = CHAT) -> None:
        target = self.target(turn_id, chat)
        await self.channel.open_reply(target, _checkpoint).show(_snapshot(target, text, final=False))

    async def finish(
        self,
        turn_id: str,
        text: str,
        chat: str = CHAT,
        topic: str | None = None,
        files: tuple[StoredFile, ...] = (),
        reply_to: str = "m",
        question: Question | None = None,
        title: str = "",
        suggestions: tuple[str, ...] = (),
    ) -> tuple[str, ...]:
        target = replace(self.target(turn_id, chat, topic), reply_to=reply_to)
        reply = self.channel.open_reply(target, _checkpoint)
        snapshot = _snapshot(target, text, final=True, files=files)
        snapshot = replace(snapshot, question=question, title=title, suggestions=suggestions)
        return (await reply.finish(snapshot)).message_ids

    async def settle(self, turn_id: str, text: str, chat: str = CHAT) -> None:
        target = self.target(turn_id, chat)
        await self.channel.open_reply(target, _checkpoint).settle(_snapshot(target, text, final=False))


def _snapshot(
    target: ReplyTarget, text: str, final: bool, files: tuple[StoredFile, ...] = ()
) -> OutboundMessage:
    return OutboundMessage(
        target.turn_id, target.conversation, target.reply_to, text, final=final, attachments=files
    )
