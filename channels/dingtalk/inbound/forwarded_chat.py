"""Forwarded chats and shared documents, as words. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from parley.core.model.types import Json

MOST_RECORDED = 20_000
"""Characters of a forwarded chat that are kept."""
_MOST_ENTRIES = 200
_MOST_JSON = 400_000
_SENDERS = ("senderName", "senderNick", "sender", "senderId")
_BODIES = ("text", "content", "message", "body")
_LISTS = ("chatRecord", "records", "messages")


def forwarded_words(body: Mapping[str, Json]) -> str:
    """Return a forwarded chat: its title and summary, and who said what where DingTalk tells."""
    lines = list(_lines(_listed(body)))
    summary = _string(body.get("summary")).strip()
    head = [_string(body.get("title")).strip()]
    # The summary is the beginning of what the list has in full.
    shown = [*head, *(lines or [summary if summary != "[]" else ""])]
    return "\n".join(line for line in shown if line)[:MOST_RECORDED]


def shared_words(body: Mapping[str, Json]) -> str:
    """Return a shared document or card: its words and its address."""
    found = [_string(body.get(key)).strip() for key in ("title", "text", "content")]
    address = _string(body.get("biz_custom_action_url")).strip()
    found.append(address if address.startswith(("https://", "dingtalk://")) else "")
    return "\n".join(dict.fromkeys(line for line in found if line))[:MOST_RECORDED]


def _listed(body: Mapping[str, Json]) -> list[Json]:
    found = next((body[key] for key in _LISTS if body.get(key)), None)
    if isinstance(found, str) and len(found) <= _MOST_JSON:
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            return []
    return found[:_MOST_ENTRIES] if isinstance(found, list) else []


def _lines(entries: list[Json]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, dict):
            who = next((name for key in _SENDERS if (name := _string(entry.get(key)).strip())), "?")
            said = _said(entry) or _kind(entry)
            if said:
                yield f"{who}: {said}"


def _said(entry: Mapping[str, Json]) -> str:
    for key in _BODIES:
        value = entry.get(key)
        words = _said(value) if isinstance(value, dict) and key != "text" else _string(value)
        if words.strip():
            return words.strip()
    return ""


def _kind(entry: Mapping[str, Json]) -> str:
    kind = _string(entry.get("msgType") or entry.get("msgtype"))[:40]
    return f"[{kind}]" if kind.isidentifier() else ""


def _string(value: Json) -> str:
    return value if isinstance(value, str) else ""
