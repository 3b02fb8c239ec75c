"""What each route of the API does, takes and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parley.app.openapi import answers as answer
from parley.channels.web.api import request_bodies as chat_body
from parley.channels.web.chat.entries import ChatConversation, TranscriptEntry
from parley.channels.web.files.file_ref import FileRef
from parley.console.api import bodies
from parley.console.api.pairing import PairingCodeBody
from parley.console.api.privacy import ErasureBody

MULTIPART = "multipart/form-data"
_MEMORY = dict[str, object]
_CHAT = "/api/chat/conversations/{chat}"


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An operation. `takes` and `gives` are a type that is JSON, or the name of another media type.

    `refuses` are the statuses of refusals that belong to this operation.
    """

    method: str
    path: str
    summary: str
    gives: Any = None
    status: int = 200
    takes: Any = None
    query: Sequence[str] = ()
    refuses: Sequence[int] = ()
    needs_token: bool = True


PARAMETERS = {
    "person": "whose memory or data: a person's id, or an account such as telegram:4711",
    "account": "an account, such as telegram:55667788",
    "topic": "a topic of the conversation",
    "before": "the value of the same name in the page before",
    "limit": "how many lines at most (200)",
    "q": "words that the lines have, such as the id of a turn",
    "last": "the id of the last event that was seen, as the header Last-Event-ID",
    "chat": "the conversation",
    "message": "the message",
    "file": "the upload",
    "fact": "the fact",
    "item": "the number of the dead letter",
}

_op = ApiOperation

OPERATIONS: dict[str, Sequence[ApiOperation]] = {
    "Health": (
        _op("GET", "/livez", "Tell that the process runs.", "text/plain", needs_token=False),
        _op(
            "GET",
            "/readyz",
            "Tell whether messages are accepted; 503 with the reasons if not.",
            "text/plain",
            refuses=(503,),
            needs_token=False,
        ),
        _op("GET", "/api/health", "List every part with its state.", answer.HealthAnswer),
        _op("GET", "/metrics", "Return metrics for Prometheus.", "text/plain"),
        _op(
            "GET",
            "/api/logs",
            "Return the newest lines of the log.",
            answer.LogsAnswer,
            query=("limit", "q"),
            refuses=(400,),
        ),
        _op("GET", "/api/openapi.json", "Return this document.", _MEMORY),
    ),
    "Chat": (
        _op("GET", "/api/chat/hello", "Return name, commands, largest upload.", answer.HelloAnswer),
        _op("GET", "/api/chat/conversations", "List all conversations.", answer.ConversationsAnswer),
        _op("PUT", _CHAT, "Create or rename a conversation.", ChatConversation, takes=chat_body.TitleBody),
        _op("DELETE", _CHAT, "Stop what runs in a conversation, and delete it.", status=204),
        _op(
            "PUT",
            f"{_CHAT}/topics/{{topic}}",
            "Create or rename a topic.",
            ChatConversation,
            takes=chat_body.TitleBody,
        ),
        _op("DELETE", f"{_CHAT}/topics/{{topic}}", "Stop what runs in a topic, and delete it.", status=204),
        _op(
            "GET",
            f"{_CHAT}/messages",
            "Return 60 messages and answers, oldest first.",
            answer.MessagesAnswer,
            query=("topic", "before"),
        ),
        _op(
            "POST",
            f"{_CHAT}/messages",
            "Send a message: 202 when it is stored.",
            TranscriptEntry,
            202,
            chat_body.NewMessageBody,
            refuses=(409,),
        ),
        _op(
            "PUT",
            f"{_CHAT}/messages/{{message}}",
            "Change the last message, and have it answered again.",
            TranscriptEntry,
            202,
            chat_body.EditBody,
            refuses=(409,),
        ),
        _op(
            "DELETE",
            f"{_CHAT}/messages/{{message}}",
            "Withdraw a message that waits behind an answer.",
            TranscriptEntry,
            query=("topic",),
            refuses=(409,),
        ),
        _op("POST", f"{_CHAT}/stop", "Stop the running turn.", status=202, takes=chat_body.StopBody),
        _op(
            "POST",
            f"{_CHAT}/decisions",
            "Press a button of a question.",
            answer.NoticeAnswer,
            202,
            chat_body.DecisionBody,
        ),
        _op(
            "GET",
            "/api/chat/events",
            "Follow everything as server-sent events.",
            "text/event-stream",
            query=("last",),
        ),
        _op(
            "POST",
            "/api/chat/uploads/{file}",
            "Upload a file, before the message that names it.",
            FileRef,
            201,
            MULTIPART,
        ),
        _op("DELETE", "/api/chat/uploads/{file}", "Remove an upload that was not sent.", status=204),
        _op("GET", "/api/chat/files/{file}", "Download a file.", "application/octet-stream"),
    ),
    "Access": (
        _op(
            "GET", "/api/pairing", "List who asks for access, and who has it by a code.", answer.PairingAnswer
        ),
        _op(
            "POST",
            "/api/pairing",
            "Give access to whoever has this code.",
            answer.PairedAnswer,
            takes=PairingCodeBody,
        ),
        _op("DELETE", "/api/pairing", "Revoke the access of an account.", status=204, query=("account",)),
    ),
    "Dead letters": (
        _op("GET", "/api/letters", "List what was given up.", answer.LettersAnswer),
        _op("GET", "/api/letters/{item}", "Show one, with its message and answer.", answer.LetterTextAnswer),
        _op("POST", "/api/letters/{item}/retry", "Try it once more.", status=204),
        _op("DELETE", "/api/letters/{item}", "Remove it.", status=204),
    ),
    "People": (
        _op(
            "GET",
            "/api/person",
            "Tell which accounts belong to a person.",
            answer.PersonAnswer,
            query=("person",),
        ),
        _op(
            "GET",
            "/api/person/export",
            "Export everything about a person.",
            "application/zip",
            query=("person",),
            refuses=(409,),
        ),
        _op(
            "POST",
            "/api/person/erase",
            "Erase everything about a person; name the accounts that were shown.",
            answer.ErasureAnswer,
            takes=ErasureBody,
            refuses=(409,),
        ),
    ),
    "Memory": (
        _op("GET", "/api/memory", "Return a person's memory.", _MEMORY, query=("person",), refuses=(409,)),
        _op("DELETE", "/api/memory", "Clear a person's memory.", _MEMORY, query=("person",), refuses=(409,)),
        _op(
            "POST",
            "/api/memory/reload",
            "Read it again from where it is stored.",
            _MEMORY,
            query=("person",),
            refuses=(409,),
        ),
        _op("GET", "/api/memory/config", "Return the configuration of memory.", _MEMORY),
        _op(
            "GET",
            "/api/memory/status",
            "Return configuration, memory and health.",
            answer.MemoryStatusAnswer,
            query=("person",),
        ),
        _op(
            "GET",
            "/api/memory/people",
            "List everybody with a memory.",
            answer.MemoryPeopleAnswer,
            refuses=(409,),
        ),
        _op(
            "PUT",
            "/api/memory/switch",
            "Switch a person's memory on or off.",
            answer.MemorySwitchAnswer,
            takes=bodies.MemorySwitchBody,
            query=("person",),
            refuses=(409,),
        ),
        _op(
            "POST",
            "/api/memory/facts",
            "Remember a fact.",
            _MEMORY,
            takes=bodies.NewFactBody,
            query=("person",),
            refuses=(409,),
        ),
        _op(
            "PATCH",
            "/api/memory/facts/{fact}",
            "Change a fact.",
            _MEMORY,
            takes=bodies.FactPatchBody,
            query=("person",),
            refuses=(409,),
        ),
        _op(
            "DELETE", "/api/memory/facts/{fact}", "Forget a fact.", _MEMORY, query=("person",), refuses=(409,)
        ),
        _op(
            "GET",
            "/api/memory/export",
            "Download a person's memory.",
            _MEMORY,
            query=("person",),
            refuses=(409,),
        ),
        _op(
            "POST",
            "/api/memory/import",
            "Put a memory in the place of a person's.",
            _MEMORY,
            takes=_MEMORY,
            query=("person",),
            refuses=(409,),
        ),
        _op(
            "GET",
            "/api/memory/dead-letters",
            "List turns that could not be learned from.",
            answer.FailedTurnsAnswer,
            refuses=(409,),
        ),
        _op(
            "POST",
            "/api/memory/dead-letters/{item}/retry",
            "Learn from one again.",
            status=204,
            refuses=(409,),
        ),
    ),
}
