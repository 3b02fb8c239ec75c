"""The person's side over HTTP, for other processes: POST /sim/{verb} with a JSON object of its arguments.

Files are objects with `name`, `content` (base64) and optionally `mime`; answers are `{"result": ...}`, or
`{"error": ...}` with status 400.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from simulator.dingtalk.faults import Faults
from simulator.dingtalk.model import Upload
from simulator.dingtalk.people import People

_PEOPLE = (
    *("add_person", "add_group", "say", "say_rich", "send_file", "speak", "press", "act", "heard"),
    *("answer_to", "told", "failures", "lost", "inject", "redeliver", "remove_robot"),
    *("messages", "answers", "growth"),
)
_FAULTS = ("fail_next", "reset_next", "slow_next", "garble_next", "frames_next", "outage", "clear")


class Control:
    """Calls of People and Faults by name, with what JSON can say."""

    def __init__(self, people: People, faults: Faults) -> None:
        # The verbs differ in their parameters: what fits is checked when they are called.
        self._verbs: dict[str, Callable[..., Any]] = {name: getattr(people, name) for name in _PEOPLE}
        self._verbs |= {name: getattr(faults, name) for name in _FAULTS}

    def add_to(self, app: web.Application) -> None:
        """Serve under /sim."""
        app.router.add_post("/sim/{verb}", self._call)

    async def _call(self, request: web.Request) -> web.Response:
        verb = self._verbs.get(request.match_info["verb"])
        if verb is None:
            return web.json_response({"error": f"verbs: {', '.join(self._verbs)}"}, status=404)
        try:
            arguments = json.loads(await request.read() or b"{}", object_hook=_upload)
            result = verb(**arguments)
        except (TypeError, ValueError, LookupError) as error:
            return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)
        return web.json_response({"result": _plain(result)})


def _upload(value: dict[str, Any]) -> object:
    if "content" not in value or "name" not in value:
        return value
    return Upload(**(value | {"content": base64.b64decode(value["content"])}))


def _plain(result: object) -> object:
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return dataclasses.asdict(result)
    if isinstance(result, tuple | list):
        return [_plain(entry) for entry in result]
    return result
