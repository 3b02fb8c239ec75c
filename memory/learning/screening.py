"""Screening of a proposed diff: secrets, orders to the assistant, and statements that nobody made (pure).

A fact that is dropped leaves an empty one in its place, so that what it was to replace stays.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from parley.core.model.sanitize import sanitize_text
from parley.memory.edits.comparable_values import comparable_values
from parley.memory.learning.extraction.diff import Diff, ProposedFact, SummaryChange
from parley.memory.learning.extraction.turn_filter import LearnableTurn
from parley.memory.learning.orders import orders_assistant, quote
from parley.memory.learning.subjects import find_subject, leading_name
from parley.memory.model.document import Category, KeptOut
from parley.memory.search.date_terms import without_days
from parley.memory.text.instructions import is_plain_message, is_standing_instruction
from parley.memory.text.search_terms import terms
from parley.memory.text.secrets.masking import count_marks, mask_secrets
from parley.memory.text.sentences import split_sentences

_FAMILY = 5
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?。] )(?<!^)\b[A-ZÀ-ÖØ-Þ][\w’'-]*")
# Words that stand for the person or the day, whoever said them, and those of months and days.
_ANYBODY_WORDS = """
    user users user's i nutzer benutzer nutzerin utilisateur usuario usuário utente пользователь january
    february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday english chinese german french spanish
"""
_ANYBODY = frozenset(_ANYBODY_WORDS.split())
# Languages that write all nouns with a capital letter: a capital tells no name there.
_ALL_NOUNS = re.compile(r"\b(?:der|die|das|und|ist|hat|ein|eine|einen|nicht|mag|wohnt|arbeitet|isst|heißt)\b")
_COMMON = "user likes prefers loves wants uses 用户 喜欢 nutzer mag utilisateur aime usuario prefiere"


@dataclass(frozen=True, slots=True)
class ScreenedDiff:
    """What is left of a diff, and what was kept out of it."""

    diff: Diff
    kept_out: KeptOut


def screen_diff(
    diff: Diff, turns: Sequence[LearnableTurn], known: Collection[str] = (), *, instructions: bool = True
) -> ScreenedDiff:
    """Return the diff without what must not be stored; `known` are texts that are remembered already.

    With `instructions` what the person wants of every answer in style, language and format is kept as such.
    """
    screening = _Screening(turns, known, instructions=instructions)
    facts = tuple(map(screening.fact, diff.new_facts))
    summaries = tuple(map(screening.summary, diff.summaries))
    return ScreenedDiff(replace(diff, new_facts=facts, summaries=summaries), screening.kept_out)


class _Screening:
    def __init__(self, turns: Sequence[LearnableTurn], known: Collection[str], *, instructions: bool) -> None:
        self._turns = {turn.id: turn for turn in turns}
        self._instructions = instructions
        self._known = known
        self.kept_out = KeptOut(secrets=sum(count_marks(turn.said) for turn in turns))

    def fact(self, new: ProposedFact) -> ProposedFact:
        """Return the fact as it may be stored; without content where it may not."""
        cited = [self._turns[turn] for turn in new.turns if turn in self._turns]
        masked = self._masked(new)
        if cited and not is_supported(masked.content, cited, self._known):
            self._count(unsaid=1)
            return replace(masked, content="")
        orders = orders_assistant(masked.content)
        wish = self._instructions and (orders or masked.category == Category.INSTRUCTION)
        if wish and any(is_spoken_instruction(masked.content, turn.said) for turn in cited):
            return replace(masked, category=Category.INSTRUCTION, subject="")
        if masked.category == Category.INSTRUCTION:
            masked = replace(masked, category=Category.PREFERENCE)
        if orders:
            self._count(orders=1)
            return replace(masked, content=quote(masked.content))
        named = "" if orders_assistant(f"{masked.subject}: ") else masked.subject
        subject = named or find_subject(masked.content, (turn.speaker for turn in self._turns.values()))
        return replace(masked, subject=subject)

    def summary(self, change: SummaryChange) -> SummaryChange:
        """Return the summary without secrets, and without sentences that order the assistant about."""
        sentences = split_sentences(self._mask(change.text))
        kept = [sentence for sentence in sentences if not orders_assistant(sentence)]
        self._count(orders=len(sentences) - len(kept))
        return replace(change, text="".join(kept).strip())

    def _masked(self, new: ProposedFact) -> ProposedFact:
        keywords = tuple(word for word in new.keywords if not mask_secrets(word).count)
        error = self._mask(new.source_error)
        return replace(
            new,
            content=self._mask(new.content),
            source_error="" if orders_assistant(error) else error,
            subject=self._mask(new.subject),
            keywords=keywords,
        )

    def _mask(self, text: str) -> str:
        # First without hidden characters: they would keep a secret or an order from being seen.
        masked = mask_secrets(sanitize_text(text))
        self._count(secrets=masked.count)
        return masked.text

    def _count(self, *, secrets: int = 0, orders: int = 0, unsaid: int = 0) -> None:
        self.kept_out += KeptOut(secrets, orders, unsaid)


def is_spoken_instruction(content: str, said: str) -> bool:
    """Return whether a standing instruction is the person's own: a sentence of a short, plain message.

    A long message, a quotation or a listing may be somebody else's text.
    """
    if not is_plain_message(said) or not is_standing_instruction(content):
        return False
    return any(
        is_standing_instruction(sentence) and _shares_words(content, sentence)
        for sentence in map(str.strip, split_sentences(said))
    )


def is_supported(content: str, cited: Sequence[LearnableTurn], known: Collection[str] = ()) -> bool:
    """Return whether a fact shares its words with the turns that it cites: numbers and names exactly.

    Dates are not compared, as "tomorrow" is stored as one; a name that is remembered already may stand for
    "she". What a turn answers with "yes" is part of it.
    """
    said = "\n".join(part for turn in cited for part in (turn.speaker, turn.said, turn.question, turn.reply))
    return (
        _shares_words(content, said)
        and _numbers(content) <= _numbers(said)
        and all(_is_known_name(name, said, known) for name in _names(content))
    )


def _shares_words(content: str, said: str) -> bool:
    wanted, there = frozenset(terms(content)) - _common(), frozenset(terms(said))
    if not wanted or wanted & there:
        return True
    families = {term[:_FAMILY] for term in there if len(term) >= _FAMILY}
    return any(term[:_FAMILY] in families for term in wanted)


@cache
def _common() -> frozenset[str]:
    return frozenset(terms(_COMMON))


def _numbers(text: str) -> frozenset[str]:
    plain = without_days(text)
    told = (value for value, _ in comparable_values(plain).told)
    return frozenset(value for value in told if _NUMERAL.fullmatch(value))


def _names(content: str) -> Iterable[str]:
    if _ALL_NOUNS.search(content):
        return ()
    plain = without_days(content)
    leading = leading_name(content)
    found = (name.removesuffix("'s").removesuffix("’s") for name in (leading, *_NAME.findall(plain)))
    return [name for name in found if len(name) > 1 and name.casefold() not in _ANYBODY]


def _is_known_name(name: str, said: str, known: Collection[str]) -> bool:
    wanted = name.casefold()
    if _holds(said.casefold(), wanted) or _holds_family(said, wanted):
        return True
    return any(_holds(text.casefold(), wanted) for text in known)


def _holds_family(said: str, wanted: str) -> bool:
    """Return whether a long word stands there in another form: "Italian" for "Italy"."""
    return len(wanted) > _FAMILY and wanted[:_FAMILY] in said.casefold()


def _holds(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(word, end)
    return False
