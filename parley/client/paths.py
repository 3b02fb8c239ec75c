"""Addresses of the HTTP API: ids stand in them as single parts, or are refused."""

from __future__ import annotations

from urllib.parse import quote

from parley.client.errors import ClientError

_DOTS = frozenset({"", ".", ".."})


def api_path(*parts: str | int) -> str:
    """Return the path under `/api` that these parts make.

    Raises ClientError for a part that would lead elsewhere: servers read an escaped slash as a slash, and
    clients take dots out of a path before they send it.
    """
    return "/api/" + "/".join(map(_part, parts))


def _part(given: str | int) -> str:
    part = str(given)
    if part in _DOTS or "/" in part or "\\" in part:
        raise ClientError(f"{part[:80]!r} cannot be an id.", 404, "unknown")
    return quote(part, safe="", errors="replace")
