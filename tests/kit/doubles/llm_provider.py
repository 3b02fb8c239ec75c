"""What the tests of learning share: turns, documents, and a small server that speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from parley.core.model.address import Conversation, User
from parley.core.model.types import CompletedTurn
from tests.kit import waiting
from tests.kit.doubles.completions.endpoint import completions_endpoint

NOON = 1_795_262_400.0  # Saturday, 2026-11-21 12:00 UTC


def turn(number, said, *, person="ann", thread="thread-1", reply="Noted.", private=True, language="", at=None,
         assistant="agent", name="Ann"):  # fmt: skip
    return CompletedTurn(
        id=f"turn-{number}",
        person=person,
        speaker=User("web", person, name),
        conversation=Conversation("web", thread),
        thread=thread,
        assistant=assistant,
        language=language,
        user_text=said,
        reply_text=reply,
        at=NOON + number if at is None else at,
        private=private,
    )


async def until(condition):
    """Return once a condition holds; it may be awaitable."""
    await waiting.until(condition, "the memory got there")


def completion(message):
    """A whole answer of the chat completions API."""
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def says(text):
    """An answer that is text."""
    return lambda asked: JSONResponse(completion({"content": text}))


def learns(*contents, **changes):
    """An answer that proposes facts."""
    facts = [
        {"content": each, "category": "context", "confidence": 0.9, "turns": ["T1"]} for each in contents
    ]
    return says(json.dumps({"newFacts": facts, **changes}))


def calls_tool(arguments):
    """An answer that is a call of a tool."""
    call = {"id": "1", "type": "function", "function": {"name": "MemoryUpdate", "arguments": arguments}}
    return lambda asked: JSONResponse(completion({"content": None, "tool_calls": [call]}))


def fails(status, message="no"):
    return lambda asked: JSONResponse({"error": {"message": message}}, status)


@dataclass
class Provider:
    """Answers completions with `answers` in turn, the last one for ever; keeps what it was asked.

    While it is `silent`, and to what `stalls` picks out, it never answers.
    """

    answers: list[Callable[[dict[str, Any]], Response]] = field(default_factory=list)
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    silent: bool = False
    stalls: Callable[[dict[str, Any]], bool] = lambda asked: False
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def complete(self, request: Request) -> Response:
        self.keys.append(request.headers.get("authorization", ""))
        self.asked.append(await request.json())
        if self.silent or self.stalls(self.asked[-1]):
            await self._closing.wait()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(self.asked[-1])

    def close(self) -> None:
        self._closing.set()

    @property
    def prompts(self):
        """The second message of every call."""
        return [asked["messages"][1]["content"] for asked in self.asked]


@asynccontextmanager
async def provider(*answers) -> AsyncIterator[Provider]:
    made = Provider(list(answers) or [learns()])
    async with completions_endpoint(made.complete) as made.url:
        try:
            yield made
        finally:
            made.close()
