"""Detection of acknowledgements, and of the yes-no questions that give them a meaning."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

from parley.memory.text.search_terms import UNSPACED
from parley.memory.text.sentences import split_sentences

_LONGEST = 60
# Accents of Latin, Greek and Cyrillic letters, and what varies emoji; not the voice marks of kana.
_ACCENTS = re.compile("[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f]")
_UNSPACED = re.compile(f"[{UNSPACED}]")

_ASKS = re.compile(
    r"\b(?:shall|should|do|does|did|is|are|am|was|were|can|could|may|might|will|would|have|has|had|want|"
    r"need|ok|okay|isn't|aren't|don't|doesn't|won't|wouldn't|right|correct|yes or no)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"^\W*(?:(?:so|and|but|then|well|or|also)\W+)*(?:what|which|who|whom|whose|where|when|why|how)\b",
    re.IGNORECASE,
)
_ASKS_HAN = re.compile(
    "吗|嘛|么[？?]|是否|是不是|要不要|好不好|对不对|行不行|可不可以|能不能|需不需要|会不会|有没有|对吧|好吧|可以吧"
)
_QUESTION_AMONG_LAST = 3
_MOST_OF_QUESTION = 500
_MOST_READ = 20_000


def says_nothing(text: str) -> bool:
    """Return whether a message is only acknowledgements, greetings (data/acknowledgements.txt) or signs."""
    if len(text) > _LONGEST:
        return False
    words = _bare(text)
    return not words or _is_acknowledgement(words)


def _bare(text: str) -> str:
    """Return the words of a text, without signs, accents and case."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold().replace("’", "'")
    plain = unicodedata.normalize("NFKC", plain)
    kept = "".join(char if char == "'" or unicodedata.category(char)[0] in "LMN" else " " for char in plain)
    return " ".join(kept.split())


def _is_acknowledgement(words: str) -> bool:
    """Return whether words are phrases one after the other.

    Visits each position once: "是啊是啊是啊" can be split in many ways, and a pattern would try them all.
    """
    phrases, reached = _acknowledgements(), {0}
    for at in range(len(words)):
        for phrase in phrases.get(words[at], ()) if at in reached else ():
            end = at + len(phrase)
            if words.startswith(phrase, at) and (
                _UNSPACED.match(phrase) or not words[end : end + 1].isalnum()
            ):
                reached.add(end + 1 if words[end : end + 1] == " " else end)
    return len(words) in reached


@cache
def _acknowledgements() -> dict[str, tuple[str, ...]]:
    """Return the phrases by first character. One ends with its word; without spaces they may touch."""
    lines = files("parley.memory").joinpath("data/acknowledgements.txt").read_text("utf-8").splitlines()
    found: dict[str, tuple[str, ...]] = {}
    for phrase in (_bare(line) for line in lines if line and not line.startswith("#")):
        found[phrase[0]] = (*found.get(phrase[0], ()), phrase)
    return found


def yes_no_question(reply: str) -> str:
    """Return the question near the end of a reply that "yes" or "no" answers, or empty."""
    for sentence in reversed(split_sentences(reply[-_MOST_READ:])[-_QUESTION_AMONG_LAST:]):
        asked = sentence.strip()
        if _is_yes_no(asked):
            return asked[-_MOST_OF_QUESTION:]
    return ""


def _asks_at_end(sentence: str) -> bool:
    """Return whether a question mark follows the last word."""
    for sign in reversed(sentence):
        if sign in "?？":
            return True
        if sign.isalnum() or sign == "_":
            return False
    return False


def _is_yes_no(sentence: str) -> bool:
    if not _asks_at_end(sentence):
        return False
    if _ASKS_HAN.search(sentence):
        return True
    return bool(_ASKS.search(sentence)) and not _OPEN.match(sentence)
