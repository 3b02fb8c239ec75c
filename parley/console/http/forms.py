"""Forms of the console's own pages."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

_MOST = 4096


async def form_field(request: Request, name: str) -> str:
    """Return one field of a form that was posted, "" where it is not there, or the form is too long."""
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST:
                return ""
    except ClientDisconnect:
        return ""
    return parse_qs(body.decode("latin-1")).get(name, [""])[0]
