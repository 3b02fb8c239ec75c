"""What is said of one operation of the API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MULTIPART = "multipart/form-data"


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
    "words": "what to search for",
    "account": "an account, such as telegram:55667788",
    "topic": "a topic of the conversation",
    "before": "the value of the same name in the page before",
    "after": "the value of the same name in the page before; without it the first page",
    "last": "the id of the last event that was seen, as the header Last-Event-ID",
    "since": "Unix seconds: nothing older",
    "limit": "how many at most",
    "language": "of the sentences: en or zh",
    "q": "words that a line has, such as a turn's id",
    "chat": "the conversation",
    "message": "the message",
    "file": "the upload",
    "fact": "the fact",
    "conversation": "a conversation's key, such as web:chat-0001",
    "shape": "parley, mem0 or chatgpt",
    "item": "the number of the dead letter",
}
