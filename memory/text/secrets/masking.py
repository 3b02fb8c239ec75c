"""Masking of secrets in texts: numbers of cards, accounts and people, keys, passwords and seed phrases."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from parley.memory.text.secrets.form import MARKS, SEED_PHRASE, MaskedText, SearchedText, SecretForm
from parley.memory.text.secrets.seed_phrases import find_seed_phrases

# Wide letters and digits, and their narrow ones.
_WIDE = {
    first + place: last + place
    for first, last, count in ((0xFF10, 0x30, 10), (0xFF21, 0x41, 26), (0xFF41, 0x61, 26), (0xFF0D, 0x2D, 1))
    for place in range(count)
}


@cache
def all_forms() -> tuple[SecretForm, ...]:
    """Return the forms of secrets in the order in which they are masked; seed phrases come before them."""
    # Their patterns are compiled with the first text, so that a start does without.
    from parley.memory.text.secrets.keys import KEYS, SAID_KEYS
    from parley.memory.text.secrets.numbers import NUMBERS
    from parley.memory.text.secrets.passwords import IN_ADDRESSES, PASSWORDS
    from parley.memory.text.secrets.personal_numbers import PERSONAL_NUMBERS

    return (*KEYS, *IN_ADDRESSES, *NUMBERS, *PERSONAL_NUMBERS, *SAID_KEYS, *PASSWORDS)


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
    phrases = [(start, end, SEED_PHRASE) for start, end in find_seed_phrases(read)]
    text, read = _replaced(text, phrases), _replaced(read, phrases)
    searched, count = SearchedText(read), len(phrases)
    for form in all_forms():
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
    return sum(map(text.count, MARKS))
