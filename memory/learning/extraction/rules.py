"""Extraction by rules, where there is no model: plain statements about oneself, and what somebody asks for.

It knows the sentences of `prompts/statements.yaml`, and "remember that ...", "keep in mind that ..." and
"forget that ..." in English and Chinese; in a question only what asks to remember ("Can you note that ...?").
Nothing that is remembered is replaced on a rule alone.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence

from parley.core.ports.memory.port import SIMPLE_RULES
from parley.memory.learning.extraction.diff import Diff, ProposedFact, Removal
from parley.memory.learning.extraction.extractor import FactSearch, join_lines
from parley.memory.learning.extraction.statements import StatedFact, read_statements
from parley.memory.learning.extraction.turn_filter import LearnableTurn, LearnableTurns
from parley.memory.model.document import Category, Fact, MemoryDocument
from parley.memory.text.instructions import is_standing_instruction, says_every_time
from parley.memory.text.lazy_pattern import lazy_pattern

_SO = r"(?:(?:hi|hello|hey|well|ok|okay|oh|so|and|also|by the way|actually|yes|no)[,!]?\s{1,8}){0,6}"
_REMEMBER = (
    (
        re.compile(
            rf"{_SO}(?:(?:can|could|would|will) you )?(?:please )?(?:remember|keep in mind|bear in mind|"
            r"(?:make a |take a )?note(?= that|:)|(?:do not|don't|don’t) forget|memori[sz]e"
            r"|for future reference)(?: please)?(?: that|:|,)? (.+)",
            re.IGNORECASE,
        ),
        "User asked to remember: {}",
    ),
    (
        re.compile(
            r"(?:(?:请|請|帮我|幫我|麻烦你?|麻煩你?|你要|能不能|可以)\s?){0,3}"
            r"(?:记住|記住|牢记|牢記|(?:记|記)(?:一下|下来?|着|好)|(?:别|不要|別)忘(?:了|记|記)?|(?<=[请請要])(?:记得|記得))"
            r"[，,：:]?\s*(.+)"
        ),
        "用户要求记住：{}",
    ),
)
_WISHES = re.compile(r"(?:can|could|would|will) you\b|能不能|可以", re.IGNORECASE)
_QUESTION_ENDS = "吗嗎吧么呢"
_CORRECTS = lazy_pattern(
    r"no[,!.]? (?:i meant|i said|i mean) .+|that(?:'s|’s| is) (?:wrong|not right)[,:.]? .+"
    r"|不对[，,。]?\s*.+|不是[，,]\s*我(?:的意思是|说的是|是说).+",
    re.IGNORECASE,
)
_FORGET = lazy_pattern(
    rf"{_SO}(?:please )?forget(?: that| about)? (.+)|(?:请|帮我)?(?:忘记|忘掉|忘了)(?:关于)?(.+)",
    re.IGNORECASE,
)
# Boundaries of statements, but not the point of "Dr." and "4. Mai"; questions are recognised by their mark.
_END = lazy_pattern(
    r"(?<!\bst)(?<!\bmr)(?<!\bdr)(?<!\bmrs)(?<!\b\d)(?<!\b\d\d)\.(?=\s|$)|[!?](?=\s|$)|[。！？；;\n]+",
    re.IGNORECASE,
)
_POINTS = lazy_pattern(
    r"(?:it|this|that|these|those|them|him|her|you|your|how|the way|what|when|to)\b"
    r"|你|这|那|它|他|她|吗|什么",
    re.IGNORECASE,
)
_EDGES = " \t,.!;:，。！；：、\"'“”"
_LONGEST = 200
_LONGEST_PLAIN = 300
_MOST_READ = 2_000
_SURE = 0.9


class RuleExtractor:
    """Extracts by rules, where there is no model."""

    name = SIMPLE_RULES

    async def open(self) -> None:
        """Do nothing: rules need no preparation."""

    def corrects(self, said: str) -> bool:
        return any(map(_CORRECTS.fullmatch, split_statements(said[:_MOST_READ])))

    async def extract(
        self, material: LearnableTurns, document: MemoryDocument, index: FactSearch, now: float
    ) -> Diff:
        """Return what the rules find; on a thread, as a person may have said much."""
        return await asyncio.to_thread(self._found, material, document)

    def _found(self, material: LearnableTurns, document: MemoryDocument) -> Diff:
        facts: list[ProposedFact] = []
        removals: dict[str, Removal] = {}
        for turn in material.turns:
            for sentence in split_statements(turn.said):
                removals |= {each.id: each for each in _forgotten(sentence, document.facts)}
            for sentence in split_statements(turn.said, wishes=True):
                facts += [_fact(each, turn) for each in _remembered(sentence)]
            facts += [_fact(each, turn) for each in read_statements(turn.said, split_statements(turn.said))]
            facts += [_fact(each, turn) for each in _instructions(turn.said)]
        return Diff(new_facts=tuple(facts), removals=tuple(removals.values()))


def split_statements(text: str, *, wishes: bool = False) -> Iterator[str]:
    """Yield the sentences of a text that are no questions; with `wishes` also "can you ...?"."""
    begin = 0
    for end in [*_END.finditer(text), None]:
        sentence = text[begin : end.start() if end else len(text)].strip(_EDGES)
        asks = end is not None and any(mark in end[0] for mark in "?？")
        if sentence and (not asks or (wishes and _WISHES.match(sentence))):
            yield sentence
        begin = end.end() if end else begin


def _remembered(sentence: str) -> Iterator[StatedFact]:
    """Yield what a sentence asks to remember."""
    for pattern, content in _REMEMBER:
        match = pattern.fullmatch(sentence)
        value = join_lines(match[1]).strip(_EDGES)[:_LONGEST] if match else ""
        value = value.rstrip(_QUESTION_ENDS) if _WISHES.match(sentence) else value
        if value and not _POINTS.match(value):
            yield StatedFact(content.format(value), Category.CONTEXT)


def _instructions(said: str) -> Iterator[StatedFact]:
    """Yield what a short, plain message wants of every answer."""
    for sentence in split_statements(said) if len(said) <= _LONGEST_PLAIN else ():
        if is_standing_instruction(sentence) and says_every_time(sentence):
            yield StatedFact(join_lines(sentence), Category.INSTRUCTION)


def _fact(stated: StatedFact, turn: LearnableTurn) -> ProposedFact:
    return ProposedFact(content=stated.content, category=stated.category, confidence=_SURE, turns=(turn.id,))


def _forgotten(statement: str, facts: Sequence[Fact]) -> Iterator[Removal]:
    """Yield the removals of facts that hold all words that the person asks to forget."""
    match = _FORGET.fullmatch(statement)
    if match is None:
        return
    asked = next(filter(None, match.groups()), "").casefold()
    words = [word for word in re.findall(r"\w+", asked) if word not in _IDLE]
    for fact in facts:
        if words and all(word in fact.content.casefold() for word in words):
            yield Removal(fact.id, "the person asked for it", forget=True)


_IDLE = frozenset(("i", "my", "me", "the", "a", "an", "about", "that", "is", "am", "in", "to", "of"))
