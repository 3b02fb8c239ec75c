"""What an agent server says of a request that it refuses: the sentence in its answer, for people."""

from __future__ import annotations

from collections.abc import Iterator

import httpx

from parley.agent.transport.decoding import read_json, string
from parley.core.model.sanitize import sanitize_text
from parley.core.model.types import Json

_KEYS = ("detail", "message", "msg", "error", "title", "reason")
_LONGEST = 200
_MOST_READ = 20_000
_MOST_PROBLEMS, _DEEPEST = 3, 3


def refusal_words(response: httpx.Response) -> str:
    """Return the server's own sentence, cleaned and cut, on one line; "" where there is none to read."""
    try:
        body = response.content[:_MOST_READ]
    except httpx.ResponseNotRead:
        return ""
    try:
        said = "; ".join(_sentences(read_json(body), _DEEPEST))
    except ValueError:
        # The page of a proxy and half an object are nothing to read.
        said = "" if body.lstrip()[:1] in (b"<", b"{", b"[") else body.decode("utf-8", "replace")
    seen = " ".join(sanitize_text(said[: 10 * _LONGEST]).split())
    return seen if len(seen) <= _LONGEST else f"{seen[: _LONGEST - 1]}…"


def _sentences(answer: Json, levels: int) -> Iterator[str]:
    """Yield what an answer says in words; where a list has problems, with the place of each."""
    if isinstance(answer, str):
        yield answer
    elif isinstance(answer, list) and levels:
        for each in answer[:_MOST_PROBLEMS]:
            yield from _sentences(each, levels - 1)
    elif isinstance(answer, dict) and levels:
        key = next((each for each in _KEYS if answer.get(each)), "")
        place = _place(answer.get("loc"))
        for sentence in _sentences(answer.get(key), levels - 1):
            yield f"{place}: {sentence}" if place else sentence


def _place(place: Json) -> str:
    parts = place if isinstance(place, list) else []
    return ".".join(string(part) or str(part) for part in parts if part != "body")
