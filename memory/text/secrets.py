"""Masking of secrets in texts: card numbers, IBANs, keys and tokens, and passwords said as such.

Every pattern is bounded, or begins where a run of its characters begins: they take linear time. Each is tried
only where something that it begins with was found, which is a third of the work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from parley.memory.text.search_terms import UNSPACED
from parley.memory.text.secret_words import (
    HAN_NAMES,
    KEY_BEGINS,
    KEY_NAMES,
    OF,
    SAID_BEGINS,
    SAID_NAMES,
    SAID_OF_ONE,
)

CARD, IBAN, KEY, PASSWORD = "[card number]", "[IBAN]", "[key]", "[password]"
_MARKS = (CARD, IBAN, KEY, PASSWORD)

# One sign between digits: a space of any kind, a point or a dash.
_BETWEEN = r"[ .\-\u00a0\u2007\u2009\u202f\u3000]?"
_CARD = re.compile(rf"(?<![A-Za-z0-9.+-])[0-9](?:{_BETWEEN}[0-9]){{12,18}}(?![A-Za-z0-9])")
# In digits of other scripts, such as Arabic ones.
_OTHER_CARD = re.compile(rf"(?<![A-Za-z\d.+-])\d(?:{_BETWEEN}\d){{12,18}}(?![A-Za-z\d])")
# Issuers by their first digits, with the lengths of their numbers.
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[068]\d{12}|35\d{14,17}|6\d{15,18}"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2}[0-9]{2})((?:[ \u00a0-]?[A-Za-z0-9]){11,30})")
_IBAN_LENGTHS = {
    code: length
    for length, codes in {
        15: "NO", 16: "BE BI", 18: "DK FI FO GL NL SD FK", 19: "MK SI", 20: "AT BA EE KZ LT LU XK MN",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BJ FR GR IT MC MR SM DJ",
        28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC",
        32: "LC", 33: "RU",
    }.items()
    for code in codes.split()
}  # fmt: skip

# Not within a word or a name of a program; an underscore that begins a word is markup.
_START = r"(?<![A-Za-z0-9-])(?<![^\W]_)"
_TOKEN = re.compile(
    rf"""{_START}(?:
      (?:sk|pk|rk)[-_][A-Za-z0-9_-]{{16,}} | gh[pousr]_[A-Za-z0-9]{{30,}} | github_pat_[A-Za-z0-9_]{{20,}}
    | gl(?:pat|rt|dt)-[A-Za-z0-9_-]{{20,}} | xox[abeoprs]-[A-Za-z0-9-]{{10,}} | xapp-[A-Za-z0-9-]{{10,}}
    | (?:AKIA|ASIA)[A-Z0-9]{{16}}(?![A-Za-z0-9]) | AIza[A-Za-z0-9_-]{{35}} | ya29\.[A-Za-z0-9_-]{{20,}}
    | GOCSPX-[A-Za-z0-9_-]{{20,}} | hf_[A-Za-z0-9]{{30,}} | npm_[A-Za-z0-9]{{36}} | pypi-[A-Za-z0-9_-]{{50,}}
    | dop_v1_[a-f0-9]{{64}} | shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{{32}}
    | https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{{20,}}
    | SG\.[A-Za-z0-9_-]{{16,}}\.[A-Za-z0-9_-]{{16,}}
    | lsv2_[a-z]{{2}}_[A-Za-z0-9_]{{30,}}
    | eyJ[A-Za-z0-9_-]{{10,}}\.eyJ[A-Za-z0-9_-]{{10,}}\.[A-Za-z0-9_-]{{10,}}
    )
    | -----BEGIN[ ](?:[A-Z]{{1,20}}[ ]){{0,3}}PRIVATE[ ]KEY-----[^-]*+(?:-----END[A-Z ]{{0,60}}-----)?""",
    re.VERBOSE,
)
# A vendor's name, then one long run of letters and digits, as tokens of most services have it: the part that
# is masked begins at the sign between them. Names in code have words between short signs instead.
_NAMED_TOKEN = re.compile(r"(?<=[A-Za-z0-9])[_.-]([A-Za-z0-9]{24,400}+)(?![A-Za-z0-9])")
_LEAST_DIGITS, _LEAST_LETTERS = 2, 6
_BOT_TOKEN = re.compile(rf"{_START}[0-9]{{8,10}}[:：][A-Za-z0-9_-]{{35}}(?![A-Za-z0-9_-])")
# Not within a word; scripts without spaces may stand directly before.
_WORD_BEGINS = rf"(?<![^\W{UNSPACED}])"
_HAN_IS = "(?:就?是|为|為|は|는|은)"
_URL_PASSWORD = re.compile(r"://([^\s:/@]{1,100}):([^\s@/]{1,200})@")
_KEY_SAID = re.compile(
    rf"(?<![^\W_{UNSPACED}])(?:{KEY_NAMES})[\"'`]?"
    rf"(?:\s{{1,3}}(?:is|ist|lautet|est|es|é|è)\s|\s{{0,3}}(?:[:=：]|{_HAN_IS})|\s)\s{{0,3}}"
    rf"[\"'`]?([A-Za-z0-9_\-./+=]{{12,400}})(?![A-Za-z0-9_[])",
    re.IGNORECASE,
)
_PASSWORD_SAID = re.compile(
    rf"{_WORD_BEGINS}(?:{SAID_NAMES})(?![^\W{UNSPACED}])(?:(?P<of>[^\n.!?:=]{{0,40}}?)"
    r"(?:\s|['’](?=s\s))(?P<verb>s|(?:(?:is|was)\s|has\sbeen\s)?(?:now\s)?(?:changed|set|reset)\sto|is|was|ist|war|lautet|est|es|é|è|это|jest|är|er|on|is:|هي|هو|है|είναι|คือ)\s{1,3}"
    rf"|\s{{0,3}}(?:[:=：–—-]|{_HAN_IS})\s{{0,3}}|\s{{1,3}})"
    r"(?P<value>\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|`[^`\n]{1,100}`|«[^»\n]{1,100}»|“[^”\n]{1,100}”|[^\s\"'`«“]{2,100})",
    re.IGNORECASE,
)
_PASSWORD_HAN = re.compile(
    rf"(?:{'|'.join(HAN_NAMES.split())})"
    r"(?:[^\n。！？!-~]{0,16})[\"'“「『:=： ]{0,3}(?P<value>[!-~]{3,100})"
)
_QUOTES = "\"'`«»“”"
_CLAUSE_END = re.compile(r"\s*(?:$|[\n.!?,;)。！？，；])|\s+(?:and|und|et|y|e|и)\s")
_ODD = re.compile(r"[^\W\d_]\d|\d[^\W\d_]|[a-z][A-Z]|\d{4}|[^\w\s.,;:!?'’)(-]")


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text without its secrets, and how many there were."""

    text: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class SecretForm:
    """A form of secrets: its pattern, what stands in the place of a match, and where matches may begin.

    `begins` has a text with which each match begins, in small letters if the pattern ignores case. Without
    any, matches begin at a number, or `ahead` of it.
    """

    pattern: re.Pattern[str]
    mask: Callable[[re.Match[str]], str]
    begins: tuple[str, ...] = ()
    ahead: int = 0

    def find(self, searched: SearchedText) -> Iterator[re.Match[str]]:
        """Yield the matches, as `finditer` does."""
        end = 0
        for place in self._places(searched):
            found = self.pattern.match(searched.text, place) if place >= end else None
            if found:
                yield found
                end = found.end()

    def _places(self, searched: SearchedText) -> Iterable[int]:
        if not self.begins:
            return [place - self.ahead for place in searched.numbers if place >= self.ahead]
        text = searched.folded if self.pattern.flags & re.IGNORECASE else searched.text
        return sorted({*chain.from_iterable(_occurrences(text, each) for each in self.begins)})


class SearchedText:
    """A text, and what several forms of secrets look at in it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> str:
        """Return the text in small letters, each in its place."""
        folded = self.text
        for odd, plain in () if folded.isascii() else _ODD_CASES:
            folded = folded.replace(odd, plain)
        return folded.lower()

    @cached_property
    def numbers(self) -> list[int]:
        """Return where numbers begin; of one in two scripts, where each of them does."""
        return [found.start() for found in _NUMBER.finditer(self.text)]


_NUMBER = re.compile(r"[0-9]+|[^\D0-9]+")
# Wide letters and digits, and their narrow ones.
_WIDE = {
    first + place: last + place
    for first, last, count in ((0xFF10, 0x30, 10), (0xFF21, 0x41, 26), (0xFF41, 0x61, 26), (0xFF0D, 0x2D, 1))
    for place in range(count)
}
# Letters that `re.IGNORECASE` takes for these, and which are none of their capitals.
_ODD_CASES = tuple(zip("ſıİᲀᲁᲂᲃᲄᲅᲆ", "siiвдосттъ", strict=True))


def _occurrences(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def mask_secrets(text: str) -> MaskedText:
    """Return the text with a mark in the place of each secret; masked again it stays the same."""
    masked = _masked(text, text)
    narrow = masked.text if text.isascii() else masked.text.translate(_WIDE)
    if narrow == masked.text:
        return masked
    again = _masked(masked.text, narrow)
    return MaskedText(again.text, masked.count + again.count)


def _masked(text: str, read: str) -> MaskedText:
    """Return the text without the secrets that stand in `read`, which has a character for each of its own."""
    searched, count = SearchedText(read), 0
    for form in FORMS:
        changes = list[tuple[int, int, str]]()
        for found in form.find(searched):
            masked = form.mask(found)
            if masked != found[0]:
                changes.append((*found.span(), masked))
        if changes:
            text, read = _replaced(text, changes), _replaced(searched.text, changes)
            searched, count = SearchedText(read), count + len(changes)
    return MaskedText(text, count)


def _replaced(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    parts, end = list[str](), 0
    for start, stop, new in changes:
        parts += (text[end:start], new)
        end = stop
    return "".join((*parts, text[end:]))


def count_marks(text: str) -> int:
    """Return how many secrets were masked in a text."""
    return sum(map(text.count, _MARKS))


def _card(found: re.Match[str]) -> str:
    digits = "".join(str(int(char)) for char in found[0] if char.isdigit())
    return CARD if _ISSUERS.fullmatch(digits) and _luhn(digits) else found[0]


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return len(set(digits)) > 1 and sum(value - 9 * (value > 9) for value in doubled) % 10 == 0


def _iban(found: re.Match[str]) -> str:
    length = _IBAN_LENGTHS.get(found[1][:2].upper(), 0)
    taken, end = "", 0
    while end < len(found[0]) and len(taken) < length:
        taken += found[0][end].upper() if found[0][end].isalnum() else ""
        end += 1
    rest = found[0][end:]
    if len(taken) != length or rest[:1].isalnum():
        return found[0]
    number = "".join(str(int(char, 36)) for char in taken[4:] + taken[:4])
    return IBAN + rest if int(number) % 97 == 1 else found[0]


def _named_token(found: re.Match[str]) -> str:
    digits = sum(map(str.isdigit, found[1]))
    mixed = digits >= _LEAST_DIGITS and len(found[1]) - digits >= _LEAST_LETTERS
    return f"{found[0][0]}{KEY}" if mixed else found[0]


def _value_masked(found: re.Match[str], mark: str, group: str | int) -> str:
    start, end = (place - found.start() for place in found.span(group))
    return found[0][:start] + mark + found[0][end:]


def _password(found: re.Match[str]) -> str:
    value = found["value"]
    if value.startswith("["):
        return found[0]
    if value[0] in _QUOTES:
        return _value_masked(found, PASSWORD, "value")
    bare = value.rstrip(".,;:!?)。，")
    kept = value[len(bare) :]
    plain = not _ODD.search(bare)
    of = (found["of"] or "").split()
    said = (
        bool(found["verb"] not in (None, "s") and (not of or of[0].casefold() in OF))
        or ":" in found[0]
        or "=" in found[0]
    )
    if plain and (not said or bare.casefold() in SAID_OF_ONE or not _ends_clause(found, kept)):
        return found[0]
    return _value_masked(found, PASSWORD + kept, "value")


def _ends_clause(found: re.Match[str], kept: str) -> bool:
    return bool(kept) or bool(_CLAUSE_END.match(found.string, found.end()))


def _password_han(found: re.Match[str]) -> str:
    value = found["value"]
    if value.startswith("[") or not any(char.isalnum() for char in value):
        return found[0]
    return _value_masked(found, PASSWORD, "value")


_PREFIXES = """
    sk- sk_ pk- pk_ rk- rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glrt- gldt- xox xapp- AKIA ASIA AIza
    ya29. GOCSPX- hf_ npm_ pypi- dop_v1_ shp SG. https://hooks.slack lsv2_ eyJ -----BEGIN
"""
FORMS = (
    SecretForm(_TOKEN, lambda _: KEY, tuple(_PREFIXES.split())),
    SecretForm(_NAMED_TOKEN, _named_token, ("_", "-", ".")),
    SecretForm(_BOT_TOKEN, lambda _: KEY),
    SecretForm(_URL_PASSWORD, lambda found: f"://{found[1]}:{PASSWORD}@", ("://",)),
    SecretForm(_IBAN, _iban, ahead=2),
    SecretForm(_CARD, _card),
    SecretForm(_OTHER_CARD, _card),
    SecretForm(_KEY_SAID, lambda found: _value_masked(found, KEY, 1), tuple(KEY_BEGINS.split())),
    SecretForm(_PASSWORD_SAID, _password, SAID_BEGINS),
    SecretForm(_PASSWORD_HAN, _password_han, tuple(HAN_NAMES.split())),
)
"""All forms of secrets, in the order in which they are masked."""
