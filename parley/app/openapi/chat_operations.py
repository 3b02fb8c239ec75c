"""The operations of the web chat."""

from __future__ import annotations

from collections.abc import Sequence

from parley.app.openapi import answers as answer
from parley.app.openapi.operation import MULTIPART, ApiOperation
from parley.channels.web.api import request_bodies as chat_body
from parley.channels.web.chat.entries import ChatConversation, TranscriptEntry
from parley.channels.web.files.file_ref import FileRef

_CHAT = "/api/chat/conversations/{chat}"
_op = ApiOperation

CHAT_OPERATIONS: Sequence[ApiOperation] = (
    _op("GET", "/api/chat/hello", "Return name, commands, largest upload.", answer.HelloAnswer),
    _op("GET", "/api/chat/conversations", "List all conversations.", answer.ConversationsAnswer),
    _op("GET", _CHAT, "Return one conversation.", ChatConversation),
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
        refuses=(422,),
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
    _op(
        "GET",
        f"{_CHAT}/files",
        "List the files that were sent and delivered, newest first.",
        answer.FilesAnswer,
        query=("topic",),
    ),
    _op("GET", "/api/chat/files/{file}", "Download a file.", "application/octet-stream"),
)
