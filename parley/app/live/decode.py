"""What went over a channel's wire, as JSON: a record for each request and each frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl, urlsplit

from parley.channels.kit.http.wire_listener import WireExchange
from parley.core.model.types import Json

_HEADERS = ("content-type", "retry-after", "x-ogw-ratelimit-limit", "x-ogw-ratelimit-reset")
"""Of a response, those that say something about the platform."""


def decode_exchange(exchange: WireExchange) -> dict[str, Json]:
    """Return the record of a request and its response."""
    parts = urlsplit(exchange.url)
    kind = header(exchange.request_headers, "content-type")
    encoding, body = decode_body(exchange.request_body, kind)
    return {
        "kind": "call",
        "method": exchange.method,
        "host": parts.netloc,
        "path": parts.path,
        "query": dict(parse_qsl(parts.query, keep_blank_values=True)),
        "encoding": encoding,
        "body": body,
        "status": exchange.status,
        "headers": {name: value for name in _HEADERS if (value := header(exchange.response_headers, name))},
        "response": decode_body(exchange.response_body, header(exchange.response_headers, "content-type"))[1],
    }


def decode_frame(data: str | bytes, *, inward: bool) -> dict[str, Json] | None:
    """Return the record of a frame, None for one that is neither JSON nor Feishu's."""
    decoded = _feishu_frame(data) if isinstance(data, bytes) else _json(data)
    return None if decoded is None else {"kind": "frame", "inward": inward, "data": decoded}


def decode_post(path: str, body: bytes) -> dict[str, Json]:
    """Return the record of what a platform posted to a hook."""
    kind = "application/json" if body[:1] in (b"{", b"[") else "application/x-www-form-urlencoded"
    return {"kind": "post", "path": path, "data": decode_body(body, kind)[1]}


def decode_body(body: bytes, content_type: str) -> tuple[str, Json]:
    """Return how a body is written, and what it says; of a file only name and size."""
    if not body:
        return "", None
    if "multipart/form-data" in content_type:
        return "multipart", _multipart(body, content_type)
    text = body.decode("utf-8", "replace")
    if "x-www-form-urlencoded" in content_type:
        return "form", dict(parse_qsl(text, keep_blank_values=True))
    found = _json(text)
    return ("text", text[:2000]) if found is None else ("json", found)


def header(headers: Mapping[str, str], name: str) -> str:
    """Return a header whatever its capitals, "" where it is not there."""
    return next((value for each, value in headers.items() if each.lower() == name), "")


def _json(text: str | bytes) -> Json:
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found


def _multipart(body: bytes, content_type: str) -> dict[str, Json]:
    made = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    fields: dict[str, Json] = {}
    for part in made.iter_parts() if made.is_multipart() else ():
        name, content = part.get_param("name", "", "content-disposition"), part.get_payload(decode=True)
        raw = content if isinstance(content, bytes) else b""
        filename = part.get_filename()
        fields[str(name)] = (
            raw.decode("utf-8", "replace") if filename is None else {"file": filename, "size": len(raw)}
        )
    return fields


def _feishu_frame(data: bytes) -> Json:
    from parley.channels.feishu.inbound import frame_codec  # only where Feishu is installed

    try:
        frame = frame_codec.read(data)
    except ValueError:
        return None
    return {
        "method": frame.method,
        "headers": dict(frame.headers),
        "payload": _json(frame.payload) if frame.payload else None,
    }
