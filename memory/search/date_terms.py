"""Dates as search terms, so that "on 4 May", "5月4日" and a fact learned on that day match each other.

A day gives `#2024`, `#-05`, `#2024-05`, `#-05-04`: a year, a month of any year, a month, a day of any year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from parley.memory.text.lazy_pattern import lazy_pattern

_NAMES = (
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре",
)
_NUMBER = {name[:3]: place for place, name in enumerate(_NAMES[0].split(), 1)} | {"sept": 9}
_NUMBER |= {name: place for names in _NAMES for place, name in enumerate(names.split(), 1)}
_ANY = "|".join(sorted(_NUMBER, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_BEFORE_MONTH = (
    "in|since|until|by|during|of|for|last|next|this|early|late|mid|im|seit|anfang|mitte|ende|letzten|nächsten|en|"
    "depuis|début|fin|desde|hasta|este|em|até|nel|a|ad|da|dal|в|с|до"
)
_WRITTEN = lazy_pattern(
    rf"""\b(?P<y1>{_YEAR})-(?P<m1>\d\d?)(?:-(?P<d1>\d\d?))?\b
    | (?:(?P<y2>{_YEAR})\s*[年년]\s*)?(?P<m2>\d\d?)\s*[月월](?:\s*(?P<d2>\d\d?)\s*[日号號일])?
    | (?P<y3>{_YEAR})\s*[年년]
    | \b(?P<d4>\d\d?)(?:st|nd|rd|th|er|\.|º|°)?\s+(?:(?:of|de|di)\s+)?(?P<m4>{_ANY})\b\.?
      (?:,?\s+(?:(?:de|del|di)\s+)?(?P<y4>{_YEAR})\b)?
    | \b(?P<m5>{_ANY})\b\.?\s+(?P<d5>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+(?P<y5>{_YEAR})\b)?
    | \b(?P<m6>{_ANY})\b\.?(?:,?\s+(?:(?:de|del|di)\s+)?(?P<y6>{_YEAR})\b)
    | \b(?:{_BEFORE_MONTH})\s+(?P<m7>{_ANY})\b
    | \b(?P<y8>{_YEAR})\b""",
    re.VERBOSE | re.IGNORECASE,
)
_PARTS = 4  # the terms of a date with its year, month and day
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]+")


def day_terms(at: str) -> list[str]:
    """Return the terms of the day that an ISO 8601 time begins with; none for anything else."""
    return list(_day_terms(at[:10]))


@lru_cache(maxsize=4096)
def _day_terms(day: str) -> tuple[str, ...]:
    found = _WRITTEN.match(day)
    return tuple(_of(found)) if found else ()


def written_days(text: str) -> list[str]:
    """Return the terms of every date written in a text, in ten languages."""
    if not _may_hold_one(text):
        return []
    return [term for found in _WRITTEN.finditer(text) for term in _of(found)]


def full_dates(text: str) -> list[str]:
    """Return the dates written in a text with their year, month and day, as `2026-03-17`."""
    found = _WRITTEN.finditer(text) if _may_hold_one(text) else ()
    days = (list(_of(each)) for each in found)
    return [f"{terms[0][1:]}{terms[-1][1:]}" for terms in days if len(terms) == _PARTS]


def without_days(text: str) -> str:
    """Return a text without the dates that are written in it."""
    return _WRITTEN.sub(" ", text) if _may_hold_one(text) else text


def _may_hold_one(text: str) -> bool:
    """Return whether a text has a digit or the name of a month: much faster than the pattern."""
    return bool(_DIGIT.search(text)) or not _NUMBER.keys().isdisjoint(_LETTERS.findall(text.lower()))


def _of(found: re.Match[str]) -> Iterator[str]:
    parts = {name[0]: value for name, value in found.groupdict().items() if value}
    year, month, day = parts.get("y", ""), _month(parts.get("m", "")), parts.get("d", "").zfill(2)
    if year:
        yield f"#{year}"
    if month:
        yield f"#-{month}"
        if year:
            yield f"#{year}-{month}"
        if day != "00":
            yield f"#-{month}-{day}"


def _month(written: str) -> str:
    number = int(written) if written.isdigit() else _NUMBER.get(written.lower(), 0)
    return f"{number:02}" if 1 <= number <= 12 else ""
