"""Frozen values to JSON text and back, by their own type hints: what the store keeps of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import compress
from operator import attrgetter, ne
from types import NoneType, UnionType
from typing import Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
_Reader: TypeAlias = Callable[[Any], Any]  # JSON in, whatever its type hint says out

_DUMPS = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_ATOMS = (str, int, float, bool, NoneType)


def encode(value: object) -> str:
    """Return one line of JSON. `value` is a dataclass of plain values, enums, tuples and other dataclasses.

    Fields at their defaults are left out: every message is written several times, and most are.
    """
    kind: Any = value.__class__
    if _shape(kind) is None:
        raise TypeError(f"not a dataclass value: {value!r}")
    return _DUMPS(_plain(value))


def decode(kind: type[Value], text: str) -> Value:
    """The inverse of `encode`. Fields that the text lacks take their defaults, unknown ones are left out,
    so that a newer version reads what an older one wrote and the other way round.

    Raises ValueError when the text is not JSON of that shape.
    """
    try:
        built: Value = _reader(cast("Any", kind))(json.loads(text))
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a {kind.__name__}: {error}") from error
    return built


def _plain(value: Any) -> Any:  # noqa: ANN401 - any field value in, JSON out
    kind = value.__class__
    if kind in _ATOMS:
        return value
    if kind is tuple:
        return [_plain(entry) for entry in value]
    shape = _shape(kind)
    if shape is None:
        return value
    names, defaults, read = shape
    entries = read(value)
    # Most fields are at their defaults: they are passed over without a step of Python for each.
    changed = compress(zip(names, entries, strict=True), map(ne, entries, defaults))
    return {name: entry if entry.__class__ in _ATOMS else _plain(entry) for name, entry in changed}


@cache
def _shape(kind: type) -> tuple[tuple[str, ...], tuple[object, ...], Callable[[Any], tuple[Any, ...]]] | None:
    """Return a dataclass's field names, their defaults and what reads them all; None for any other type."""
    if not is_dataclass(kind):
        return None
    names = tuple(entry.name for entry in fields(kind))
    defaults = tuple(entry.default for entry in fields(kind))
    # One call for all fields; for one name alone attrgetter gives no tuple.
    if len(names) > 1:
        return names, defaults, attrgetter(*names)
    return names, defaults, lambda value: tuple([getattr(value, name) for name in names])


# Readers are made once for each type: to ask a hint what it is costs more than to read a value.


@cache
def _reader(hint: Any) -> _Reader:  # noqa: ANN401
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _union_reader(get_args(hint))
    if origin is tuple:
        read = _reader(get_args(hint)[0])
        return lambda raw: tuple([read(entry) for entry in raw])
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass_reader(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return _as_it_is


def _dataclass_reader(kind: type) -> _Reader:
    hints = get_type_hints(kind)
    readers = {entry.name: _reader(hints[entry.name]) for entry in fields(kind)}

    def read(raw: dict[str, Any]) -> object:
        return kind(**{name: readers[name](entry) for name, entry in raw.items() if name in readers})

    return read


def _union_reader(choices: tuple[Any, ...]) -> _Reader:
    others = [choice for choice in choices if choice is not NoneType]
    if len(others) > 1:
        return _as_it_is
    read = _reader(others[0])
    return lambda raw: None if raw is None else read(raw)


def _as_it_is(raw: Any) -> Any:  # noqa: ANN401
    return raw
