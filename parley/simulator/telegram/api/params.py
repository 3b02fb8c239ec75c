"""A call's parameters, from a query, a form, JSON or multipart, read the way the platform reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiohttp import BodyPartReader, web

from parley.simulator.telegram.errors import TelegramErrorResponse, bad_request
from parley.simulator.telegram.model import Json, JsonObject, TelegramUpload

MOST_BYTES = 50_000_000


class TelegramParams:
    """Parameters by name. Text that should be a number or JSON is understood as such."""

    def __init__(self, values: Mapping[str, Json], files: Mapping[str, TelegramUpload] | None = None) -> None:
        self.values = dict(values)
        self.files = dict(files or {})

    def text(self, name: str, default: str = "") -> str:
        """A text; numbers are taken as written."""
        value = self.values.get(name)
        return default if value is None else value if isinstance(value, str) else str(value)

    def integer(self, name: str) -> int | None:
        """A whole number, or None when it is not given. Raises TelegramErrorResponse for anything else."""
        value = self.values.get(name)
        if value is None or value == "":
            return None
        try:
            return int(value) if isinstance(value, int | str) else _refuse(name)
        except ValueError:
            return _refuse(name)

    def flag(self, name: str) -> bool:
        """A boolean, false when it is not given."""
        return self.values.get(name) in (True, "true", "True", "1", 1)

    def array(self, name: str) -> list[Json]:
        """A JSON array, empty when it is not given."""
        value = self._json(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise bad_request(f"can't parse {name}: expected an Array")
        return value

    def object(self, name: str) -> JsonObject | None:
        """A JSON object, or None when it is not given."""
        value = self._json(name)
        if value is not None and not isinstance(value, dict):
            raise bad_request(f"can't parse {name}: expected an Object")
        return value

    def _json(self, name: str) -> Json:
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            decoded: Json = json.loads(value) if value else None
        except ValueError:
            raise bad_request(f"can't parse {name} JSON object") from None
        return decoded


def _refuse(name: str) -> int:
    raise bad_request(f"invalid {name} specified")


async def read_params(request: web.Request) -> TelegramParams:
    """All of a request's parameters. Raises TelegramErrorResponse."""
    values: dict[str, Json] = dict(request.query)
    files: dict[str, TelegramUpload] = {}
    if request.content_type == "application/json":
        values |= _object(await request.read())
    elif request.content_type == "multipart/form-data":
        await _read_multipart(request, values, files)
    elif request.can_read_body:
        values |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    return TelegramParams(values, files)


def _object(body: bytes) -> JsonObject:
    try:
        decoded = json.loads(body or b"{}")
    except ValueError:
        raise bad_request("can't parse JSON object") from None
    if not isinstance(decoded, dict):
        raise bad_request("object expected as the request's body")
    return decoded


async def _read_multipart(
    request: web.Request, values: dict[str, Json], files: dict[str, TelegramUpload]
) -> None:
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader) or not part.name:
            continue
        content = bytes(await part.read(decode=True))
        if len(content) > MOST_BYTES:
            raise TelegramErrorResponse(413, "Request Entity Too Large")
        if part.filename is None:
            values[part.name] = content.decode("utf-8", "replace")
        else:
            mime = part.headers.get("Content-Type", "application/octet-stream")
            files[part.name] = TelegramUpload(part.filename, content, mime)
