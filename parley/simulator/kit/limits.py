"""What the platforms allow, as their documents and other people's measurements say: data with sources."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias, cast, get_args

Certainty: TypeAlias = Literal["certain", "lower bound", "measured by others"]
LimitValue: TypeAlias = int | float | str
FOLDER = Path(__file__).parent.parent / "limits"
_FIELDS = frozenset({"value", "unit", "source", "date", "sure"})
_NAME = re.compile(r"[a-z][a-z0-9_]{1,79}\Z")
_DATE = re.compile(r"20\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?\Z")
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class DocumentedLimit:
    """A limit, code or rule of a platform, and who says so."""

    name: str
    value: LimitValue
    unit: str
    source: str
    date: str
    """Of the source: a year, a month or a day."""
    sure: Certainty

    @property
    def whole(self) -> int:
        """Return a value that is a whole number. Raises ValueError for another."""
        if not isinstance(self.value, int):
            raise ValueError(f"{self.name}: {self.value!r} is no whole number")
        return self.value

    @property
    def number(self) -> float:
        """Return a value that is a number. Raises ValueError for another."""
        if isinstance(self.value, str):
            raise ValueError(f"{self.name}: {self.value!r} is no number")
        return float(self.value)


@cache
def load_limits(platform: str) -> Mapping[str, DocumentedLimit]:
    """Return a platform's limits by name. Raises ValueError naming the file, and the row that is wrong."""
    if not _NAME.match(platform):
        raise ValueError(f"{platform!r} is no platform's name")
    return read_limits(FOLDER / f"{platform}.toml")


def read_limits(path: Path) -> Mapping[str, DocumentedLimit]:
    """Return the limits of a file by name. Raises ValueError naming the file, and the row that is wrong."""
    try:
        with path.open("rb") as opened:
            raw = opened.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise ValueError("it is longer than a mebibyte")
        rows = tomllib.loads(raw.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path.name}: {error}") from None
    return MappingProxyType({name: _limit(path.name, name, row) for name, row in rows.items()})


def _limit(file: str, name: str, row: object) -> DocumentedLimit:
    wrong = _mistake(name, row)
    if wrong:
        raise ValueError(f"{file}: [{name[:80]}]: {wrong}")
    fields = cast("dict[str, str]", row)
    certainty = cast("Certainty", fields["sure"])
    return DocumentedLimit(name, fields["value"], fields["unit"], fields["source"], fields["date"], certainty)


def _mistake(name: str, row: object) -> str:
    """Return what is wrong with a row, nothing for a sound one."""
    if not isinstance(row, dict):
        return "it is no table"
    if not _NAME.match(name):
        return "the name is not in snake_case"
    if set(row) != _FIELDS:
        return f"it has {', '.join(sorted(map(str, row)))[:200]}; needed are {', '.join(sorted(_FIELDS))}"
    texts = [field for field in ("unit", "source", "date", "sure") if not _is_text(row[field])]
    if texts:
        return f"{texts[0]} is no text"
    if not _DATE.match(row["date"]):
        return "date is no year, month or day"
    if row["sure"] not in get_args(Certainty):
        return f"sure is none of {', '.join(get_args(Certainty))}"
    return "" if _is_value(row["value"]) else "value is neither a number above nothing nor a text"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= 1000


def _is_value(value: object) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return 0 <= value < float("inf")
    return _is_text(value)
