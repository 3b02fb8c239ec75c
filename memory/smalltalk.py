"""What says nothing by itself: acknowledgements, and the questions that give them a meaning."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

from memory.sentences import sentences

_LONGEST = 60

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


def says_nothing(text: str) -> bool:
    """Whether a whole message is an acknowledgement or a greeting (data/acknowledgements.txt) or signs."""
    if len(text) > _LONGEST:
        return False
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    bare = "".join(char if char == "'" or unicodedata.category(char)[0] in "LN" else " " for char in plain)
    words = " ".join(bare.split())
    return not words or _acknowledgements().fullmatch(words) is not None


@cache
def _acknowledgements() -> re.Pattern[str]:
    lines = files("memory").joinpath("data/acknowledgements.txt").read_text("utf-8").splitlines()
    phrases = sorted((line for line in lines if line and not line.startswith("#")), key=len, reverse=True)
    # A Latin phrase ends with its word; Chinese ones may stand right behind each other.
    ended = [re.escape(phrase) + (r"\b" if phrase.isascii() else "") for phrase in phrases]
    return re.compile("(?:(?:" + "|".join(ended) + ") ?)+")


def yes_no_question(reply: str) -> str:
    """The question near the end of a reply that "yes" or "no" answers, or empty."""
    for sentence in reversed(sentences(reply)[-_QUESTION_AMONG_LAST:]):
        asked = sentence.strip()
        if _is_yes_no(asked):
            return asked[-_MOST_OF_QUESTION:]
    return ""


def _is_yes_no(sentence: str) -> bool:
    if not re.search(r"[?？]\W*$", sentence):
        return False
    if _ASKS_HAN.search(sentence):
        return True
    return bool(_ASKS.search(sentence)) and not _OPEN.match(sentence)
