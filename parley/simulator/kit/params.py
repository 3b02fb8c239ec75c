"""A call's parameters, however they were sent."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

from aiohttp import web

from parley.simulator.kit.json_values import Json, JsonObject


class Params(ABC):
    """Parameters by name. Text that should be JSON is read as such."""

    truths: ClassVar[tuple[Json, ...]] = (True, "true", "1", 1)

    def __init__(self, values: Mapping[str, Json]) -> None:
        self.values = dict(values)

    @abstractmethod
    def error(self, name: str, wanted: str = "") -> Exception:
        """Return the platform's error for a parameter that is no JSON, or not the `wanted` kind of it."""

    def text(self, name: str, default: str = "") -> str:
        """Return a text; numbers are taken as written."""
        value = self.values.get(name)
        return default if value is None else value if isinstance(value, str) else str(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a boolean."""
        value = self.values.get(name)
        return default if value is None else value in self.truths

    def array(self, name: str) -> list[Json]:
        """Return an array, empty when it is not given. Raises the platform's error."""
        value = self._json(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(name, "Array")
        return value

    def object_or_none(self, name: str) -> JsonObject | None:
        """Return an object, or None when it is not given. Raises the platform's error."""
        value = self._json(name)
        if value is not None and not isinstance(value, dict):
            raise self.error(name, "Object")
        return value

    def _json(self, name: str) -> Json:
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            decoded: Json = json.loads(value) if value else None
        except ValueError:
            raise self.error(name) from None
        return decoded


async def read_values(request: web.Request, decode: Callable[[bytes], JsonObject]) -> dict[str, Json]:
    """Return what came in the query and in a form or, as `decode` reads it, in JSON."""
    values: dict[str, Json] = dict(request.query)
    if request.content_type == "application/json":
        values |= decode(await request.read() or b"{}")
    elif request.can_read_body:
        values |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    return values
