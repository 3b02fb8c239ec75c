"""A call as it came: path, query, body and files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aiohttp import BodyPartReader, web

from parley.simulator.feishu.errors import FeishuErrorResponse, invalid
from parley.simulator.feishu.model import FeishuUpload
from parley.simulator.kit.json_values import Json, JsonObject, as_object

_FIELDS = frozenset({"file", "image"})
"""The fields of a form in which bytes come."""


@dataclass
class FeishuRequest:
    """One call: parts of its path, its query, its JSON body and uploaded files."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: JsonObject = field(default_factory=dict)
    files: dict[str, FeishuUpload] = field(default_factory=dict)
    repeated: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """All values of each name in the query."""

    def text(self, name: str) -> str:
        """Return a text of the body, "" when it is not there. Raises FeishuErrorResponse for what is none."""
        value = self.body.get(name, "")
        if not isinstance(value, str):
            raise invalid(name)
        return value


async def read_request(request: web.Request) -> FeishuRequest:
    """Return a call, read. Raises FeishuErrorResponse."""
    body: JsonObject = {}
    files: dict[str, FeishuUpload] = {}
    if request.content_type == "multipart/form-data":
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader) or not part.name:
                continue
            content = bytes(await part.read(decode=True))
            # Some clients name the bytes' field alone, and no file.
            if part.filename is None and part.name not in _FIELDS:
                body[part.name] = content.decode("utf-8", "replace")
            else:
                files[part.name] = FeishuUpload(part.filename or part.name, content)
    elif raw := await request.read():
        try:
            decoded: Json = json.loads(raw)
        except ValueError:
            raise FeishuErrorResponse(9499, "Bad Request: invalid JSON") from None
        body = as_object(decoded)
    repeated = {name: request.query.getall(name) for name in request.query}
    return FeishuRequest(request.match_info, request.query, body, files, repeated)
