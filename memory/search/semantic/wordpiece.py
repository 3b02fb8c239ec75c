"""WordPiece tokenizer of BERT's uncased models: lower case, no accents, longest known pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

_LONGEST_WORD = 100
_CJK = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))


class WordPiece:
    """Converts texts to piece ids, with the marks that begin and end them."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids: Mapping[str, int] = {piece: place for place, piece in enumerate(vocabulary)}
        self._unknown = self._ids["[UNK]"]
        self._begin = self._ids["[CLS]"]
        self._end = self._ids["[SEP]"]
        self._pieces = lru_cache(maxsize=8192)(self._split)

    def ids(self, text: str, most: int) -> list[int]:
        """Return at most `most` ids, the two marks among them."""
        found = [piece for word in _words(text) for piece in self._pieces(word)]
        return [self._begin, *found[: most - 2], self._end]

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        pieces = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._ids), 0)
            if not end:
                return (self._unknown,)
            pieces.append(self._ids[mark + word[start:end]])
            start = end
        return tuple(pieces)


def _words(text: str) -> Iterator[str]:
    for chunk in text.split():
        word = ""
        for char in unicodedata.normalize("NFD", chunk.lower()):
            kind = unicodedata.category(char)
            if kind == "Mn" or kind.startswith("C"):
                continue
            if _stands_alone(char, kind):
                if word:
                    yield word
                yield char
                word = ""
            else:
                word += char
        if word:
            yield word


def _stands_alone(char: str, kind: str) -> bool:
    code = ord(char)
    if code < 128:
        return not char.isalnum()
    return kind.startswith("P") or any(low <= code <= high for low, high in _CJK)
