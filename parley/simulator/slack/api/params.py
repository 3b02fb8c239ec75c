"""A call's parameters, from a query, a form or JSON, read the way the platform reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiohttp import web

from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import Json, JsonObject


class SlackParams:
    """Parameters by name."""

    def __init__(self, values: Mapping[str, Json]) -> None:
        self.values = dict(values)

    def text(self, name: str, default: str = "") -> str:
        """A text; numbers are taken as written."""
        value = self.values.get(name)
        return default if value is None else value if isinstance(value, str) else str(value)

    def needed(self, name: str) -> str:
        """A text that must be there. Raises SlackErrorResponse."""
        value = self.text(name)
        if not value:
            raise SlackErrorResponse("invalid_arguments")
        return value

    def integer(self, name: str, default: int) -> int:
        """A whole number. Raises SlackErrorResponse."""
        try:
            return int(self.text(name) or default)
        except ValueError:
            raise SlackErrorResponse("invalid_arguments") from None

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A boolean."""
        value = self.values.get(name)
        return default if value is None else value in (True, "true", "1", 1)

    def array(self, name: str) -> list[Json]:
        """An array, perhaps written as JSON; empty when it is not given. Raises SlackErrorResponse."""
        value = self._json(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise SlackErrorResponse("invalid_arguments")
        return value

    def object(self, name: str) -> JsonObject:
        """An object, perhaps written as JSON; empty when it is not given. Raises SlackErrorResponse."""
        value = self._json(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise SlackErrorResponse("invalid_arguments")
        return value

    def _json(self, name: str) -> Json:
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            decoded: Json = json.loads(value) if value else None
        except ValueError:
            raise SlackErrorResponse("invalid_arguments") from None
        return decoded


async def read_params(request: web.Request) -> SlackParams:
    """All of a request's parameters. Raises SlackErrorResponse."""
    values: dict[str, Json] = dict(request.query)
    if request.content_type == "application/json":
        try:
            decoded = json.loads(await request.read() or b"{}")
        except ValueError:
            raise SlackErrorResponse("invalid_json") from None
        if not isinstance(decoded, dict):
            raise SlackErrorResponse("json_not_object")
        values |= decoded
    elif request.can_read_body:
        values |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    return SlackParams(values)
