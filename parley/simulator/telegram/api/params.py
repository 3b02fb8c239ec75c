"""A call's parameters, from a query, a form, JSON or multipart, read the way the platform reads them."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import BodyPartReader, web

from parley.simulator.kit.json_values import Json, JsonObject, decode_object
from parley.simulator.kit.params import Params, read_values
from parley.simulator.telegram.errors import TelegramErrorResponse, bad_request
from parley.simulator.telegram.model import TelegramUpload

MOST_BYTES = 50_000_000


class TelegramParams(Params):
    """Parameters by name, and files. Text that should be a number or JSON is understood as such."""

    truths = (True, "true", "True", "1", 1)

    def __init__(self, values: Mapping[str, Json], files: Mapping[str, TelegramUpload] | None = None) -> None:
        super().__init__(values)
        self.files = dict(files or {})

    def error(self, name: str, wanted: str = "") -> TelegramErrorResponse:
        """Return what Telegram says to a parameter that is no JSON, or another kind of it."""
        return bad_request(
            f"can't parse {name}: expected an {wanted}" if wanted else f"can't parse {name} JSON object"
        )

    def integer(self, name: str) -> int | None:
        """Return a whole number, or None when it is not given. Raises TelegramErrorResponse for others."""
        value = self.values.get(name)
        if value is None or value == "":
            return None
        try:
            return int(value) if isinstance(value, int | str) else _refuse(name)
        except ValueError:
            return _refuse(name)


def _refuse(name: str) -> int:
    raise bad_request(f"invalid {name} specified")


async def read_params(request: web.Request) -> TelegramParams:
    """Return all of a request's parameters. Raises TelegramErrorResponse."""
    if request.content_type == "multipart/form-data":
        return await _read_multipart(request)
    return TelegramParams(await read_values(request, _object))


def _object(body: bytes) -> JsonObject:
    no_object = bad_request("object expected as the request's body")
    return decode_object(body, bad_request("can't parse JSON object"), no_object)


async def _read_multipart(request: web.Request) -> TelegramParams:
    values: dict[str, Json] = dict(request.query)
    files: dict[str, TelegramUpload] = {}
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
    return TelegramParams(values, files)
