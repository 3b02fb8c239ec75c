"""What a scripted model says, as OpenAI's chat completions API streams it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from starlette.responses import Response

Asked: TypeAlias = dict[str, Any]
Said: TypeAlias = Callable[[Asked], Response]


def streams(**delta: object) -> Said:
    """An answer in one piece, and the end."""
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    choices = [
        [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if "tool_calls" in delta else "stop"}],
    ]
    lines = [f"data: {json.dumps({**head, 'choices': each})}\n\n" for each in choices]
    return lambda asked: Response("".join([*lines, "data: [DONE]\n\n"]), media_type="text/event-stream")


def calls(tool: str, **arguments: object) -> Said:
    """A call of one tool."""
    return calls_all((tool, arguments))


def calls_all(*wanted: tuple[str, Mapping[str, object]]) -> Said:
    """Calls of several tools at once."""
    listed = [
        {
            "index": at,
            "id": f"call-{at}-{tool}",
            "type": "function",
            "function": {"name": tool, "arguments": json.dumps(arguments)},
        }
        for at, (tool, arguments) in enumerate(wanted)
    ]
    return streams(tool_calls=listed)


def repeats_result(asked: Asked) -> Response:
    """Say what the tool returned."""
    return streams(content=asked["messages"][-1]["content"])(asked)


def offered(asked: Asked) -> list[str]:
    """The names of the tools that the model was shown."""
    return [each["function"]["name"] for each in asked.get("tools", ())]


def took(tokens: int, said: Said) -> Said:
    """An answer that takes so many tokens to write."""

    def answer(asked: Asked) -> Response:
        usage = {"prompt_tokens": 0, "completion_tokens": tokens, "total_tokens": tokens}
        last = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        line = f"data: {json.dumps({**last, 'choices': [], 'usage': usage})}\n\n"
        text = bytes(said(asked).body).decode().replace("data: [DONE]", f"{line}data: [DONE]")
        return Response(text, media_type="text/event-stream")

    return answer
