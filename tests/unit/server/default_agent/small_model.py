"""A server that speaks OpenAI's protocol, with a model that reads only so many tokens at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from parley.memory.text.tokenizers import load_encoding
from tests.kit.doubles.completions.endpoint import completions_endpoint

SUMMARY_ASKED = "Messages to summarize"
"""In what LangChain asks for a summary with."""

_encoding = cache(load_encoding)


def too_long(tokens: int, window: int) -> JSONResponse:
    """OpenAI's own refusal."""
    message = (
        f"This model's maximum context length is {window} tokens. However, your messages resulted in "
        f"{tokens} tokens. Please reduce the length of the messages."
    )
    error = {"message": message, "type": "invalid_request_error", "param": "messages"}
    return JSONResponse({"error": {**error, "code": "context_length_exceeded"}}, 400)


@dataclass
class SmallModel:
    """Answers with `answer(request)`; refuses what has more than `window` tokens.

    Models whose names are in `broken` answer 500.
    """

    window: int
    answer: Callable[[dict[str, Any]], str]
    refusal: Callable[[int, int], Response] = too_long
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    refused: int = 0
    broken: set[str] = field(default_factory=set)

    async def complete(self, request: Request) -> Response:
        body = await request.json()
        if body["model"] in self.broken:
            return JSONResponse({"error": {"message": "out of order"}}, 500)
        tokens = sum(
            len(_encoding("cl100k_base").encode(words_of(message), disallowed_special=())) + 4
            for message in body["messages"]
        )
        if tokens > self.window:
            self.refused += 1
            return self.refusal(tokens, self.window)
        self.asked.append(body)
        text = self.answer(body)
        if body.get("stream"):
            return StreamingResponse(_chunks(text, body["model"]), media_type="text/event-stream")
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": text},
        }
        return JSONResponse(
            {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        )

    @property
    def talks(self) -> list[dict[str, Any]]:
        """What it was asked for answers, without the summaries."""
        return [body for body in self.asked if SUMMARY_ASKED not in words_of(body["messages"][-1])]


def said(words: str) -> dict[str, Any]:
    """Return a run's input in which a person says something."""
    return {"messages": [{"role": "user", "content": words}]}


def words_of(message: dict[str, Any]) -> str:
    """The text of a message in OpenAI's shape."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


async def _chunks(text: str, model: str) -> AsyncIterator[str]:
    body = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": model}
    for delta in ({"role": "assistant", "content": text[:3]}, {"content": text[3:]}):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        yield f"data: {json.dumps({**body, 'choices': [choice]})}\n\n"
    yield "data: [DONE]\n\n"


@asynccontextmanager
async def small_model(made: SmallModel) -> AsyncIterator[SmallModel]:
    """Serve it on a free port."""
    async with completions_endpoint(made.complete) as made.url:
        yield made
