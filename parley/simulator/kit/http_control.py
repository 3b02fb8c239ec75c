"""The person's side over HTTP, for other processes: POST /sim/{verb} with a JSON object of its arguments.

Files are objects with `name`, `content` (base64) and what else the platform's files have; answers are
`{"result": ...}`, or `{"error": ...}` with status 400.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import json
from collections.abc import Callable, Iterable
from typing import Any

from aiohttp import web


class HttpControl:
    """Calls by name, with what JSON can say. `upload` is what the platform makes of a file.

    `verbs` are objects with the names of those of their methods that may be called.
    """

    def __init__(self, upload: Callable[..., object], *verbs: tuple[object, Iterable[str]]) -> None:
        # The verbs differ in their parameters: what fits is checked when they are called.
        self._verbs: dict[str, Callable[..., Any]] = {
            name: getattr(owner, name) for owner, names in verbs for name in names
        }
        self._upload = upload

    def add_to(self, app: web.Application) -> None:
        """Serve under /sim."""
        app.router.add_post("/sim/{verb}", self._call)

    async def _call(self, request: web.Request) -> web.Response:
        verb = self._verbs.get(request.match_info["verb"])
        if verb is None:
            return web.json_response({"error": f"verbs: {', '.join(self._verbs)}"}, status=404)
        try:
            arguments = json.loads(await request.read() or b"{}", object_hook=self._read)
            # In a thread, as in tests, because some verbs wait for this loop.
            result = await asyncio.to_thread(verb, **arguments)
        except (TypeError, ValueError, LookupError) as error:
            return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)
        return web.json_response({"result": _plain(result)})

    def _read(self, value: dict[str, Any]) -> object:
        if "content" not in value or "name" not in value:
            return value
        return self._upload(**(value | {"content": base64.b64decode(value["content"])}))


def _plain(result: object) -> object:
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return dataclasses.asdict(result)
    if isinstance(result, tuple | list):
        return [_plain(entry) for entry in result]
    return result
