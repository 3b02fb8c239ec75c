"""What graphs work with, as JSON: messages, interrupts, errors, and whatever users keep in state."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import cast

import orjson
from langgraph.types import Interrupt
from pydantic import BaseModel, TypeAdapter

from parley.core.model.types import Json

_FLAGS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_PASSTHROUGH_DATACLASS


_DEEPEST = 100


def dumps(value: object) -> bytes:
    """JSON in UTF-8. Anything that has no JSON form becomes its `repr`."""
    try:
        return orjson.dumps(value, _plainer, _FLAGS)
    except TypeError:
        # Lone surrogates, integers beyond 64 bits, exotic keys: slower, but never an error.
        return _dumps_anything(value)


def to_json_value(value: object) -> Json:
    """The value as a client would read it."""
    return cast("Json", orjson.loads(dumps(value)))


def error_json(error: BaseException) -> dict[str, str]:
    """An exception as the protocol's `error` event shows it."""
    return {"error": type(error).__name__, "message": str(error)}


def interrupt_json(interrupt: Interrupt) -> dict[str, object]:
    """An interrupt as clients see it; the schema is that of the value it wants, if its graph says so."""
    schema = interrupt.response_schema
    if schema is not None and not isinstance(schema, dict):
        schema = TypeAdapter(schema).json_schema()
    return {"value": interrupt.value, "id": interrupt.id, "response_schema": schema}


def _plainer(value: object) -> object:
    """One step nearer to JSON."""
    if isinstance(value, BaseModel):
        return value.model_dump(warnings=False)
    if isinstance(value, Interrupt):
        return interrupt_json(value)
    if isinstance(value, BaseException):
        return error_json(value)
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, set | frozenset):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return _fields(value)


def _fields(value: object) -> object:
    names = getattr(type(value), "__dataclass_fields__", None)
    if names is not None:
        return {name: getattr(value, name) for name in names}
    return repr(value)


def _dumps_anything(value: object) -> bytes:
    text = json.dumps(_walk(value, 0), ensure_ascii=False)
    return text.encode("utf-8", "replace")


def _walk(value: object, depth: int) -> object:
    if depth > _DEEPEST:
        return repr(value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {str(key): _walk(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item, depth + 1) for item in value]
    return _walk(_plainer(value), depth + 1)
