"""The web API's conversations and messages: HTTP in front, backed by the chat service and the inbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from parley.channels.web.api.event_stream import EventStream
from parley.channels.web.api.http_errors import WebApiError, with_error_responses
from parley.channels.web.api.inbox import WebInbox, request_language
from parley.channels.web.api.request_bodies import (
    DECISION,
    EDIT,
    NEW_MESSAGE,
    STOP,
    TITLE,
    DecisionBody,
    NewMessageBody,
    path_id,
    queried_cursor,
    queried_place,
    read_json,
)
from parley.channels.web.chat.entries import CHAT, ENTRY, ChatConversation, EntryLocation, TranscriptEntry
from parley.channels.web.chat.event_log import EntryShown
from parley.channels.web.chat.service import ChatService
from parley.channels.web.config import Config
from parley.core.model.command_syntax import is_command
from parley.core.model.feedback import FEEDBACK_QUESTION, FeedbackChoice
from parley.core.ports.channel import CommandInfo
from parley.core.ports.no_core import never_rerun
from parley.core.texts import Sentence, language_said

_MOST_FILES = 20
_MOST_TOPICS = 200


class ChatApi:
    """Handlers under `/api/chat`. Bodies and answers are JSON; errors are as in `problems.py`."""

    def __init__(
        self,
        config: Config,
        commands: Sequence[CommandInfo],
        desk: ChatService,
        door: WebInbox,
        heartbeat: float = 15.0,
        *,
        edits: Callable[[], bool] = never_rerun,
    ) -> None:
        """Where `edits` says so the last message may be changed, and is then answered again."""
        self._config = config
        self._commands = commands
        self._desk = desk
        self._door = door
        self._heartbeat = heartbeat
        self._edits = edits

    def routes(self) -> Sequence[BaseRoute]:
        """Return the API's routes."""
        chat = "/api/chat/conversations/{chat}"
        return (
            Route("/api/chat/hello", with_error_responses(self.hello), methods=["GET"]),
            Route("/api/chat/conversations", with_error_responses(self.conversations), methods=["GET"]),
            Route(chat, with_error_responses(self.read), methods=["GET"]),
            Route(chat, with_error_responses(self.save), methods=["PUT"]),
            Route(chat, with_error_responses(self.delete), methods=["DELETE"]),
            Route(f"{chat}/topics/{{topic}}", with_error_responses(self.save_topic), methods=["PUT"]),
            Route(f"{chat}/topics/{{topic}}", with_error_responses(self.delete), methods=["DELETE"]),
            Route(f"{chat}/messages", with_error_responses(self.messages), methods=["GET"]),
            Route(f"{chat}/messages", with_error_responses(self.post), methods=["POST"]),
            Route(f"{chat}/messages/{{message}}", with_error_responses(self.edit), methods=["PUT"]),
            Route(f"{chat}/messages/{{message}}", with_error_responses(self.withdraw), methods=["DELETE"]),
            Route(f"{chat}/stop", with_error_responses(self.stop), methods=["POST"]),
            Route(f"{chat}/decisions", with_error_responses(self.decide), methods=["POST"]),
            Route("/api/chat/events", with_error_responses(self.events), methods=["GET"]),
        )

    async def hello(self, request: Request) -> Response:
        """Return what the page must know once."""
        commands = [{**asdict(one), "name": one.name.removeprefix("/")} for one in self._commands]
        told = {"user": {"name": self._config.name}, "commands": commands}
        return JSONResponse(told | {"max_upload": self._config.max_upload, "edits": self._edits()})

    async def conversations(self, request: Request) -> Response:
        """Return every conversation, newest activity first, and where replies are growing."""
        chats = [CHAT.dump_python(chat, mode="json") for chat in await self._desk.chats.all()]
        growing = [asdict(shown.place) | {"id": shown.entry.id} for shown in self._desk.growing.all()]
        return JSONResponse({"conversations": chats, "growing": growing})

    async def read(self, request: Request) -> Response:
        """Return one conversation."""
        chat = await self._desk.chats.get(path_id(request, "chat"))
        if chat is None:
            raise WebApiError(404, "unknown", "There is nothing of that name.")
        return JSONResponse(CHAT.dump_python(chat, mode="json"))

    async def save(self, request: Request) -> Response:
        """Create or rename a conversation."""
        chat_id, naming = path_id(request, "chat"), await read_json(request, TITLE)
        return await self._chat(await self._desk.chats.save(chat_id, naming.title))

    async def save_topic(self, request: Request) -> Response:
        """Create or rename a topic."""
        place = EntryLocation(path_id(request, "chat"), path_id(request, "topic"))
        naming = await read_json(request, TITLE)
        chat = await self._desk.chats.get(place.chat)
        if chat is not None and len(chat.topics) >= _MOST_TOPICS:
            raise WebApiError(422, "too_many_topics", f"A conversation has at most {_MOST_TOPICS} topics.")
        return await self._chat(await self._desk.chats.save_topic(place, naming.title, naming.about))

    async def delete(self, request: Request) -> Response:
        """Delete a conversation or a topic; a turn that runs there is stopped first."""
        topic = path_id(request, "topic") if "topic" in request.path_params else None
        place = EntryLocation(path_id(request, "chat"), topic)
        for shown in self._desk.growing.under(place):
            await self._door.stop(shown.place, shown.entry.id, request_language(request, ""))
        await self._desk.forget(place)
        return Response(status_code=204)

    async def messages(self, request: Request) -> Response:
        """Return a page of entries, oldest first, with the replies that are growing at its end."""
        place = queried_place(request)
        page = await self._desk.transcript.page(place, before=queried_cursor(request))
        # Of a reply that has just been stored, pages are told a moment later.
        kept = {entry.id for entry in page.entries}
        shown = (each for each in self._desk.growing.under(place) if each.place == place)
        growing = [each.entry for each in shown if each.entry.id not in kept]
        entries = map(self._desk.growing.as_shown, page.entries)
        return JSONResponse(
            {
                "entries": [ENTRY.dump_python(entry, mode="json") for entry in entries],
                "growing": [ENTRY.dump_python(entry, mode="json") for entry in growing],
                "before": page.before,
            }
        )

    async def post(self, request: Request) -> Response:
        """Take a message: 202 when it is in the transcript and the core has it on disk."""
        chat_id, body = path_id(request, "chat"), await read_json(request, NEW_MESSAGE)
        place = EntryLocation(chat_id, body.topic)
        self._door.check()
        quoted = await self._quoted(place, body.id)
        entry, new = await self._desk.transcript.add(place, await self._entry(body))
        chat = await self._desk.chats.touch(place, entry.text or entry.files[0].name)
        if new:
            await self._desk.announce(chat.id, chat)
            await self._desk.show(EntryShown(place, entry))
        await self._door.accept(place, entry, request_language(request, body.language), quoted, body.zone)
        return JSONResponse(ENTRY.dump_python(entry, mode="json"), 202)

    async def edit(self, request: Request) -> Response:
        """Give the last message another text: 202 when the transcript has it and the core has it on disk."""
        message, body = path_id(request, "message"), await read_json(request, EDIT)
        place = EntryLocation(path_id(request, "chat"), body.topic)
        self._door.check()
        if not self._edits():
            raise WebApiError(409, "no_edits", "Messages that were sent are not changed here.")
        last = await self._last_said(place)
        if last is None or last.id != message or is_command(body.text):
            raise WebApiError(409, "not_the_last", "Only the last message changes, and into no command.")
        if not body.text.strip() and not last.files:
            raise WebApiError(422, "empty", "The message is empty.")
        entry = await self._desk.transcript.edit(place, message, body.id, body.text)
        if entry is None:
            raise WebApiError(404, "unknown", "There is nothing of that name.")
        await self._desk.show(EntryShown(place, entry))
        await self._door.accept(place, entry, request_language(request, body.language), zone=body.zone)
        return JSONResponse(ENTRY.dump_python(entry, mode="json"), 202)

    async def withdraw(self, request: Request) -> Response:
        """Take a message back that waits to be answered: 200 with it, 409 when that comes too late."""
        place = queried_place(request)
        message = path_id(request, "message")
        if not await self._desk.take_back(place.conversation, message, self._door.person):
            raise WebApiError(
                409, "too_late", "This message is being answered already; it was not taken back."
            )
        entry = await self._desk.transcript.withdraw(place, message)
        if entry is None:
            raise WebApiError(404, "unknown", "There is nothing of that name.")
        await self._desk.show(EntryShown(place, entry))
        return JSONResponse(ENTRY.dump_python(entry, mode="json"))

    async def stop(self, request: Request) -> Response:
        """Return the stop button: the core's `/stop`, which leaves no message behind."""
        chat_id, body = path_id(request, "chat"), await read_json(request, STOP)
        await self._door.stop(
            EntryLocation(chat_id, body.topic), body.id, request_language(request, body.language)
        )
        return Response(status_code=202)

    async def decide(self, request: Request) -> Response:
        """Return a question's button: 202 with what to tell who pressed it."""
        chat_id, body = path_id(request, "chat"), await read_json(request, DECISION)
        place = EntryLocation(chat_id, body.topic)
        told = await self._door.decide(place, body, request_language(request, body.language))
        if language_said(told, Sentence.FEEDBACK_NOTED):
            await self._mark_rated(place, body)
        return JSONResponse({"text": told}, 202)

    async def _mark_rated(self, place: EntryLocation, pressed: DecisionBody) -> None:
        """Let the pages show what the person thinks of a reply."""
        turn = pressed.question.removeprefix(FEEDBACK_QUESTION)
        entry = await self._desk.transcript.rate(place, turn, FeedbackChoice(pressed.option))
        if entry is not None:
            await self._desk.show(EntryShown(place, entry))

    async def events(self, request: Request) -> Response:
        """Return the page's one stream."""
        last = request.headers.get("last-event-id") or request.query_params.get("last", "")
        return EventStream(self._desk.feed, last, self._heartbeat)

    async def _last_said(self, place: EntryLocation) -> TranscriptEntry | None:
        """Return the person's last message to the agent, if it stands on the newest page."""
        entries = (await self._desk.transcript.page(place)).entries
        said = [
            entry
            for entry in entries
            if entry.role == "user" and not (entry.withdrawn or is_command(entry.text))
        ]
        return said[-1] if said else None

    async def _entry(self, body: NewMessageBody) -> TranscriptEntry:
        if len(body.files) > _MOST_FILES:
            raise WebApiError(422, "too_many_files", f"A message carries at most {_MOST_FILES} files.")
        files = await self._desk.shelf.attach(body.files)
        if files is None:
            raise WebApiError(
                422, "file_gone", "A file of this message is no longer there; please attach it again."
            )
        if not body.text.strip() and not files:
            raise WebApiError(422, "empty", "The message is empty.")
        return TranscriptEntry(body.id, "user", 0, body.text, files=files)

    async def _quoted(self, place: EntryLocation, message_id: str) -> str:
        """Return what a topic is about, for its first message: the agent was not told otherwise."""
        if place.topic is None:
            return ""
        chat = await self._desk.chats.get(place.chat)
        topic = chat.topic(place.topic) if chat else None
        if topic is None or not topic.about:
            return ""
        # At a second try the message itself stands there already.
        newest = (await self._desk.transcript.page(place, limit=1)).entries
        if newest and newest[0].id != message_id:
            return ""
        about = await self._desk.transcript.find(place, topic.about)
        return about.text if about else ""

    async def _chat(self, chat: ChatConversation) -> Response:
        await self._desk.announce(chat.id, chat)
        return JSONResponse(CHAT.dump_python(chat, mode="json"))
