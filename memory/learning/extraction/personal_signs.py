"""Recognition of turns in which nobody says anything about themselves: plain questions and requests.

Ten languages; the patterns are data, `data/impersonal.yaml`. Whatever is not recognised counts as personal:
a call of the model too many is better than a fact that is missed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from parley.memory.text.search_terms import UNSPACED
from parley.memory.text.sentences import split_sentences
from parley.memory.text.smalltalk import says_nothing
from parley.memory.text.strict_yaml import read_yaml

_LONGEST = 1_000
_LONGEST_SENTENCE = 200
_MOST_BEFORE = 3
# Code between fences says nothing of anybody; a fence that is not closed goes to the end.
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_ASKS = re.compile(r"[?？][\s\"'”’)」』）]{0,4}\Z")
_EDGE = " \t\n.!?。！？…:：\"'“”"
_COMMA = re.compile("[,，、]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class ImpersonalForms:
    """How questions and requests of a language begin and end, and which words are a person's own."""

    before: re.Pattern[str]
    asks: re.Pattern[str]
    opens: re.Pattern[str]
    ends: re.Pattern[str]
    idle: re.Pattern[str]
    own: re.Pattern[str]

    def fit(self, sentence: str, *, asks: bool) -> bool:
        """Return whether a sentence may be a question or a request in this language."""
        for _ in range(_MOST_BEFORE):
            sentence = self.before.sub("", sentence, count=1)
        begins = self.opens.match(sentence) or (asks and self.asks.match(sentence))
        return bool(begins or (self.ends.search(sentence) and not _COMMA.search(sentence)))

    def says_own(self, sentence: str) -> bool:
        """Return whether a sentence has words in which people speak of themselves."""
        return bool(self.own.search(self.idle.sub(" ", sentence)))


def may_be_personal(text: str) -> bool:
    """Return whether a message may say something about its author."""
    plain = _CODE.sub("", text[: _LONGEST + 1].replace("’", "'")) if "```" in text else text.replace("’", "'")
    if len(plain) > _LONGEST:
        return True
    return not all(map(_is_impersonal, split_sentences(plain)))


def _is_impersonal(sentence: str) -> bool:
    if says_nothing(sentence):
        return True
    said, asks = sentence.lower().strip(_EDGE), bool(_ASKS.search(sentence.rstrip()))
    if len(said) > _LONGEST_SENTENCE:
        return False
    # "Was kann ich ...?" may be English by its first word: every language that it may be in counts.
    fitting = [forms for forms in load_forms() if forms.fit(said, asks=asks)]
    return bool(fitting) and not any(forms.says_own(said) for forms in fitting)


@cache
def load_forms() -> tuple[ImpersonalForms, ...]:
    """Return the forms of all languages."""
    tree: Any = read_yaml(files("parley.memory").joinpath("data/impersonal.yaml").read_text("utf-8"))
    return tuple(map(_forms, tree.values()))


def _forms(given: Any) -> ImpersonalForms:  # noqa: ANN401 - our own file
    def compiled(name: str, frame: str) -> re.Pattern[str]:
        return re.compile(frame.format(given[name])) if name in given else _NEVER

    whole = "(?:{})" if _UNSPACED.search(given["self"]) else r"(?<!\w)(?:{})(?!\w)"
    begins = "(?:{})" if _UNSPACED.search(given["self"]) else r"(?:{})(?!\w)"
    return ImpersonalForms(
        before=compiled("before", r"\A(?:{})"),
        asks=compiled("asks", begins),
        opens=compiled("opens", begins),
        ends=compiled("ends", r"(?:{})\Z"),
        idle=compiled("idle", whole),
        own=compiled("self", whole),
    )
