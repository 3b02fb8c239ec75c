"""What the contract suite says over each platform's wire: one record of every shape, kept in a folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from parley.app.live.decode import decode_exchange, decode_frame, decode_post
from parley.channels.kit.http.wire_listener import WireExchange, listening_to_wires
from parley.core.model.types import Json, JsonObject

_KEPT = frozenset({"type", "tag", "subtype", "msg_type", "msgKey", "msgtype", "topic", "style", "status"})
"""Fields whose words say what kind of thing it is."""
_ID = re.compile(r"(?=(?:[^/]*\d){3})(?!v\d)[^/]{4,}")


def shape_of(value: Json, key: str = "") -> object:
    """Return what two values of one shape have in common: fields, types, and the names of kinds."""
    if isinstance(value, Mapping):
        return {name: shape_of(inner, name) for name, inner in sorted(value.items())}
    if isinstance(value, list):
        return sorted({json.dumps(shape_of(each), sort_keys=True) for each in value})
    if isinstance(value, str) and key in _KEPT:
        return f"={value}"
    nested = nested_json(value)
    return {"in text": shape_of(nested)} if nested is not None else type(value).__name__


def nested_json(value: Json) -> Json:
    """Return what a text holds as JSON, None where it holds none."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return None
    try:
        found: Json = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


class ShapeCollector:
    """Writes each record whose shape is new to the end of a file."""

    def __init__(self, file: Path, seen: set[str]) -> None:
        self._file, self._seen = file, seen

    def on_exchange(self, exchange: WireExchange) -> None:
        record = decode_exchange(exchange)
        record["path"] = _ID.sub("ID", str(record["path"])) if exchange.status != 101 else "websocket"
        record["host"] = ""
        self._keep(record)

    def on_frame(self, data: str | bytes, *, inward: bool) -> None:
        record = decode_frame(data, inward=inward)
        if record is not None:
            self._keep(record)

    def on_post(self, path: str, body: bytes) -> None:
        self._keep(decode_post(path, body))

    def _keep(self, record: JsonObject) -> None:
        shape = _key(record)
        if shape not in self._seen:
            self._seen.add(shape)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")


_seen: dict[str, set[str]] = {}


@contextmanager
def collecting_shapes(folder: str, platform: str) -> Iterator[None]:
    """Keep the shapes of a platform's wire in a folder, of each process in a file of its own."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"{platform}-{os.getpid()}.jsonl"
    with listening_to_wires(ShapeCollector(file, _seen.setdefault(platform, set()))):
        yield


def read_shapes(folder: Path, platform: str) -> list[dict[str, Json]]:
    """Return the records of all processes, each shape once."""
    found: dict[str, dict[str, Json]] = {}
    for file in sorted(folder.glob(f"{platform}-*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            record = json.loads(line)
            found.setdefault(_key(record), record)
    return list(found.values())


def _key(record: JsonObject) -> str:
    """Return what two records of one shape share; the path of a call belongs to it."""
    shapes = {name: value if name == "path" else shape_of(value, name) for name, value in record.items()}
    return json.dumps(shapes, sort_keys=True)
