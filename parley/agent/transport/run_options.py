"""Options of a run that a server refuses: left out, and not sent to it again."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from parley.agent.transport.decoding import read_json, string
from parley.agent.transport.http_transport import HttpTransport
from parley.agent.transport.sdk_http import DirectHttp
from parley.core.model.types import Json

log = logging.getLogger(__name__)

_NEEDED = frozenset({"assistant_id", "input", "command", "metadata", "checkpoint_id", "stream_mode"})
"""Without these a run would be another one, or could not be found again."""

_WHOLE = frozenset({"config", "context"})
"""These go only if they are refused themselves, not for something in them."""

_DISPENSABLE_MODES = frozenset({"custom"})
_CODES = (400, 422)
_MOST_READ = 20_000
_MOST_NAMES = 50
_NAME = re.compile(r"['\"`]([a-z_]{1,40})['\"`]")
_WORD = re.compile(r"[a-z]+")
_TWO_PLACES = frozenset({"configurable", "context", "both"})
_SIGNS = ("supported", "unexpected", "permitted", "allowed", "unknown", "extra")


class RefusedOptions:
    """What one server does not take. With `one_place` a context beside `configurable`, which it mirrors."""

    def __init__(self, *, one_place: bool = False) -> None:
        self._options: set[str] = set()
        self._modes: set[str] = set()
        self._one_place = one_place

    def without(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a run's request without what is refused."""
        kept = dict(order)
        for name in self._options & order.keys():
            del kept[name]
        if self._modes and isinstance(modes := kept.get("stream_mode"), list):
            kept["stream_mode"] = [mode for mode in modes if mode not in self._modes]
        return _in_one_place(kept) if self._one_place and _has_two_places(kept) else kept

    def learn(self, error: httpx.HTTPStatusError, order: Mapping[str, Any]) -> bool:
        """Remember what of `order` a server's answer refuses; False for nothing."""
        if error.response.status_code not in _CODES:
            return False
        sent = self.without(order)
        if _has_two_places(sent) and _TWO_PLACES.issubset(_WORD.findall(_words(error.response))):
            self._one_place = True
            log.info("the agent server takes no context beside configurable: all goes into configurable")
            return True
        modes = sent.get("stream_mode")
        named = set(_refused_names(error.response))
        options = {name for name in named if name in sent and name not in _NEEDED}
        dropped = named & _DISPENSABLE_MODES & set(modes if isinstance(modes, list) else ())
        self._options |= options
        self._modes |= dropped
        for name in sorted(options | dropped):
            log.warning("the agent server refuses the run option %s: runs go without it from now on", name)
        return bool(options or dropped)


class RunHttp(DirectHttp):
    """The HTTP layer of runs: one that is refused for an option is made again without it, at once."""

    def __init__(
        self, client: httpx.AsyncClient, way: HttpTransport, most: int, *, one_place: bool = False
    ) -> None:
        super().__init__(client, way, most)
        self._refused = RefusedOptions(one_place=one_place)

    def _body(self, json: object) -> object:
        return self._refused.without(json) if isinstance(json, dict) and "assistant_id" in json else json

    def _is_mended(self, error: httpx.HTTPStatusError, json: object, sent: object) -> bool:
        # Refused, so nothing was made: the same turn is asked for once more. Another run may have learned
        # meanwhile what this one was refused for.
        if not isinstance(json, dict) or "assistant_id" not in json:
            return False
        return self._refused.learn(error, json) or self._refused.without(json) != sent


def _has_two_places(order: Mapping[str, Any]) -> bool:
    config = order.get("config")
    return bool(order.get("context") and isinstance(config, dict) and config.get("configurable"))


def _in_one_place(order: dict[str, Any]) -> dict[str, Any]:
    """Return an order whose context stands in `configurable`, of which such a server makes one."""
    config = order["config"]
    configurable = {**config["configurable"], **order["context"]}
    rest = {name: value for name, value in order.items() if name != "context"}
    return {**rest, "config": {**config, "configurable": configurable}}


def _words(response: httpx.Response) -> str:
    return response.content[:_MOST_READ].decode("utf-8", "replace").lower()


def _refused_names(response: httpx.Response) -> Iterator[str]:
    """Yield the options, and values of options, that an answer says are wrong."""
    body = response.content[:_MOST_READ]
    try:
        answer = read_json(body)
    except ValueError:
        answer = body.decode("utf-8", "replace")
    detail = answer.get("detail") or answer.get("message") if isinstance(answer, dict) else answer
    for each in (detail if isinstance(detail, list) else [detail])[:_MOST_NAMES]:
        yield from _named_by(each)


def _named_by(problem: Json) -> Iterator[str]:
    if isinstance(problem, str):
        if any(sign in problem.lower() for sign in _SIGNS):
            yield from _NAME.findall(problem)
        return
    if not isinstance(problem, dict):
        return
    place = problem.get("loc")
    path = [string(each) for each in place if each != "body"] if isinstance(place, list) else []
    if path and (len(path) == 1 or path[0] not in _WHOLE):
        yield path[0]
    context = problem.get("ctx")
    if isinstance(context, dict):
        yield string(context.get("option"))
        yield from (mode.strip() for mode in string(context.get("modes")).split(",")[:_MOST_NAMES])
