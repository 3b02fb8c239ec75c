"""The texts that are the worst for a pattern, made out of the pattern itself.

A text is a beginning that leads to a repetition, what is repeated there, many times, and an end that spoils
the match. Repeated are: what a repetition takes, what follows it (so that several repetitions compete), the
beginning itself (so that a search begins anew everywhere), and single characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

SPOILERS = ("", "\x01", "a")
_USUAL = " \n\ta0_-!.中"
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_MIXED = "a-("
_MANY = 40
_MOST_CHARACTERS = 16
_MOST_OF_CLASS = 5
_MOST_AFTER = 4
_MOST_WORDS = 4
_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}

Items = Sequence[tuple[object, object]]


@dataclass(frozen=True)
class Hostile:
    """A beginning, what is repeated, and an end."""

    before: str
    repeated: str
    after: str

    def text(self, count: int) -> str:
        """Return the text with so many repetitions."""
        return self.before + self.repeated * count + self.after


def hostile_texts(pattern: str | bytes, flags: int = 0) -> Iterator[Hostile]:
    """Yield texts for a pattern, each once; of one for bytes each character is a byte."""
    tree = parser.parse(pattern, flags)
    samples = _Samples(_characters(tree))
    found = dict.fromkeys(
        (before, repeated) for before, repeated in samples.pumps(list(tree), "") if repeated
    )
    for before, repeated in found:
        yield from (Hostile(before, repeated, after) for after in SPOILERS)


def _characters(tree: Iterable[object]) -> str:
    """The pattern's own characters, and some of every kind."""
    own = [chr(code) for code in dict.fromkeys(_literals(tree))]
    return "".join(dict.fromkeys([*own[:_MOST_CHARACTERS], *_USUAL]))


def _literals(node: object) -> Iterator[int]:
    if isinstance(node, tuple) and len(node) == 2 and node[0] in (op.LITERAL, op.NOT_LITERAL):
        yield node[1]
    elif isinstance(node, tuple) and len(node) == 2 and node[0] is op.RANGE:
        yield node[1][0]
    elif isinstance(node, tuple | list | parser.SubPattern):
        for each in node:
            yield from _literals(each)


class _Samples:
    """Texts that parts of a pattern match; `characters` are those that classes are tried with."""

    def __init__(self, characters: str) -> None:
        self.characters = characters
        self._groups: dict[int, str] = {}

    def pumps(self, items: Items, before: str) -> Iterator[tuple[str, str]]:
        """Yield beginnings, and what to repeat behind each."""
        yield from (("", sign) for sign in self.characters)
        yield from self._within(items, before)

    def _within(self, items: Items, before: str) -> Iterator[tuple[str, str]]:
        for place, item in enumerate(items):
            name, value = item
            if name in _REPEATS and value[1] > _MANY:  # type: ignore[index]
                yield from self._of_repeat(items, place, before)
            for number, inner in enumerate(_inner(item)):
                # Of a long list of words a few are enough.
                if number < _MOST_WORDS or _repeats(inner):
                    yield from self._within(inner, before)
            more = self.least([item])
            if before + more:
                yield "", before + more
            before += more

    def _of_repeat(self, items: Items, place: int, before: str) -> Iterator[tuple[str, str]]:
        body = list(items[place][1][2])  # type: ignore[index]
        for sample in self.several(body):
            yield before, sample
        if len(body) == 1 and body[0][0] in (op.IN, op.ANY, op.NOT_LITERAL):
            # Of different kinds in turn: borders of words stand between them.
            mixed = [each for each in self.several(body) if each in _MIXED]
            yield from ((before, "".join(pair)) for pair in combinations(mixed, 2))
        once = self.least(body)
        for end in range(place + 2, min(len(items), place + 1 + _MOST_AFTER) + 1):
            follows = self.least(items[place + 1 : end])
            yield before, follows
            yield before + once, follows
            yield before, once + follows

    def several(self, items: Items) -> Iterator[str]:
        """Yield texts that a sequence matches: for its first choices one each."""
        if len(items) == 1:
            name, value = items[0]
            if name is op.BRANCH:
                for branch in value[1]:  # type: ignore[index]
                    yield from islice(self.several(list(branch)), 2)
                return
            if name in (op.IN, op.ANY, op.NOT_LITERAL):
                yield from islice(self._of_class(name, value), _MOST_OF_CLASS)
                yield from islice((each for each in self._of_class(name, value) if each in _MIXED), 3)
                return
            if inner := _inner(items[0]):
                yield from self.several(inner[0])
        yield self.least(items)
        yield self.least(items, more=1)

    def least(self, items: Items, more: int = 0) -> str:
        """Return a short text that a sequence matches, with `more` of each repetition."""
        return "".join(self._one(name, value, more) for name, value in items)

    def _one(self, name: object, value, more: int) -> str:
        if name is op.LITERAL:
            return chr(value)
        if name in (op.IN, op.ANY, op.NOT_LITERAL):
            return next(self._of_class(name, value), "")
        if name is op.BRANCH:
            return self.least(list(value[1][0]), more)
        if name in _REPEATS:
            least, most, body = value
            times: int = min(least + more, most, _MANY)
            return self.least(list(body), more) * times
        if name is op.GROUPREF:
            return self._groups.get(int(value), "")
        if name is op.SUBPATTERN:
            found = self.least(list(value[3]), more)
            self._groups[value[0]] = found
            return found
        inner = [] if name is op.ASSERT_NOT else _inner((name, value))
        return self.least(inner[0], more) if inner else ""

    def _of_class(self, name: object, value: object) -> Iterator[str]:
        if name is op.ANY:
            yield from (sign for sign in self.characters if sign != "\n")
        elif name is op.NOT_LITERAL:
            yield from (sign for sign in self.characters if ord(sign) != value)
        else:
            yield from (sign for sign in self.characters if _is_in(value, sign))  # type: ignore[arg-type]


def _inner(item: tuple[object, object]) -> list[Items]:
    """The sequences that an item holds."""
    name, value = item
    if name in _REPEATS:
        return [list(value[2])]  # type: ignore[index]
    if name is op.BRANCH:
        return [list(each) for each in value[1]]  # type: ignore[index]
    if name is op.SUBPATTERN:
        return [list(value[3])]  # type: ignore[index]
    if name is op.ATOMIC_GROUP:
        return [list(value)]  # type: ignore[call-overload]
    if name in (op.ASSERT, op.ASSERT_NOT):
        return [list(value[1])]  # type: ignore[index]
    return []


def _repeats(items: Items) -> bool:
    return any(item[0] in _REPEATS or any(map(_repeats, _inner(item))) for item in items)


def _is_in(items: Items, sign: str) -> bool:
    """Whether a class has a character."""
    inside, code = False, ord(sign)
    for name, value in items:
        if name is op.LITERAL:
            inside |= code == value
        elif name is op.RANGE:
            inside |= value[0] <= code <= value[1]  # type: ignore[index]
        elif name is op.CATEGORY:
            inside |= re.match(_CATEGORIES[value], sign) is not None
    return inside != (bool(items) and items[0][0] is op.NEGATE)


MARKDOWN = (
    *(
        "a",
        "**a",
        "`a",
        "```\n",
        "[a](b) ",
        "![",
        "<a",
        "|a|b\n|-|-|\n|c|d\n\n",
        ">",
        "  - a\n",
        "a. ",
        "🇩🇪",
        "-|",
    ),
    *("[a]: b\n", "a\n\n"),
)
