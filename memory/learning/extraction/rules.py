"""Extraction by rules, for the demonstration without a model: a short list of patterns, read literally.

It knows the clauses of `RULES` and the sentences of `WHOLE`, in English and Chinese, from their beginning and
never in a question, and "forget that ..."; nothing else.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parley.memory.learning.extraction.diff import Diff, Judgement, ProposedFact, Relation, Removal
from parley.memory.learning.extraction.extractor import FactSearch, join_lines
from parley.memory.learning.extraction.turn_filter import LearnableTurn, LearnableTurns
from parley.memory.model.document import Category, Fact, MemoryDocument


@dataclass(frozen=True, slots=True)
class ExtractionRule:
    """A pattern and its fact: `{}` in `content` is what `pattern` captured.

    Of a rule with `one` only the newest is true: it takes the place of what the rule learned before.
    """

    pattern: re.Pattern[str]
    content: str
    category: Category
    one: bool = False


def _rule(pattern: str, content: str, category: Category, *, one: bool = False) -> ExtractionRule:
    return ExtractionRule(re.compile(pattern, re.IGNORECASE | re.DOTALL), content, category, one)


_SO = r"(?:(?:hi|hello|hey|well|ok|okay|oh|so|and|also|by the way|actually|yes|no)[,!]?\s+)*"
_I_AM = r"(?:i am|i'm|i’m)"
_VERY = r"(?:(?:really|also|do|just|always|usually)\s+)*"

RULES = (
    _rule(rf"{_SO}(?:my name is|my name's|call me|{_I_AM} called) (.+)", "User's name is {}",
          Category.CONTEXT, one=True),
    _rule(rf"{_SO}(?:i live in|{_I_AM} living in|i(?:'ve| have)? moved to) (.+)", "User lives in {}",
          Category.CONTEXT, one=True),
    _rule(rf"{_SO}i come from (.+)|{_SO}{_I_AM} from (.+)", "User is from {}", Category.CONTEXT, one=True),
    _rule(rf"{_SO}i work (?:as|for|at) (.+)", "User works at or as {}", Category.CONTEXT, one=True),
    _rule(rf"{_SO}my birthday is (.+)", "User's birthday is {}", Category.CONTEXT, one=True),
    _rule(rf"{_SO}{_I_AM} allergic to (.+)", "User is allergic to {}", Category.CONTEXT),
    _rule(rf"{_SO}i {_VERY}prefer (.+)", "User prefers {}", Category.PREFERENCE),
    _rule(rf"{_SO}i {_VERY}(?:like|love|enjoy) (.+)", "User likes {}", Category.PREFERENCE),
    _rule(rf"{_SO}i {_VERY}(?:hate|dislike|can't stand|do not like|don't like|don’t like) (.+)",
          "User does not like {}", Category.PREFERENCE),
    _rule(rf"{_SO}i (?:want|plan|would like) to learn (.+)", "User wants to learn {}", Category.GOAL),
    _rule(r"(?:你好[，,]?)?(?:我叫|我的名字(?:是|叫)|叫我)(.+)", "用户叫{}", Category.CONTEXT, one=True),
    _rule(r"我(?:现在)?(?:住在|搬到了?)(.+)", "用户住在{}", Category.CONTEXT, one=True),
    _rule(r"我来自(.+)", "用户来自{}", Category.CONTEXT, one=True),
    _rule(r"我在(.{1,40}?)(?:工作|上班)", "用户在{}工作", Category.CONTEXT, one=True),
    _rule(r"我的生日是(.+)", "用户的生日是{}", Category.CONTEXT, one=True),
    _rule(r"我对(.{1,40}?)过敏", "用户对{}过敏", Category.CONTEXT),
    _rule(r"我(?:很|最|非常|特别|更|比较)?(?:喜欢|爱)(.+)", "用户喜欢{}", Category.PREFERENCE),
    _rule(r"我(?:很|最|非常|特别)?(?:不喜欢|讨厌)(.+)", "用户不喜欢{}", Category.PREFERENCE),
    _rule(r"我(?:想|打算)学(.+)", "用户想学{}", Category.GOAL),
)  # fmt: skip
# These match whole sentences; the others match clauses.
WHOLE = (
    _rule(rf"{_SO}(?:please )?remember(?: that|:)? (.+)", "User asked to remember: {}", Category.CONTEXT),
    _rule(r"(?:请|帮我)?记住[，,：:]?\s*(.+)", "用户要求记住：{}", Category.CONTEXT),
    _rule(r"no[,!.]? (?:i meant|i said|i mean) (.+)|that(?:'s| is) (?:wrong|not right)[,:.]? (.+)",
          "User meant: {}", Category.CORRECTION),
    _rule(r"不对[，,。]?\s*(?:我(?:的意思是|说的是|是说))?(.+)|不是[，,]\s*我(?:的意思是|说的是|是说)(.+)",
          "用户的意思是：{}", Category.CORRECTION),
)  # fmt: skip
_FORGET = re.compile(
    rf"{_SO}(?:please )?forget(?: that| about)? (.+)|(?:请|帮我)?(?:忘记|忘掉|忘了)(?:关于)?(.+)",
    re.IGNORECASE,
)
# Boundaries of statements; questions are recognised by their mark.
_END = re.compile(r"(?<!\bst)(?<!\bmr)(?<!\bdr)(?<!\bmrs)[.!?](?=\s|$)|[。！？；;\n]+", re.IGNORECASE)
_CLAUSE = re.compile(
    # Only from the first of several blanks, so that matching takes linear time.
    r"(?<!\s),?\s++(?:and|but)\s++(?=(?:i|my|i'm|i’m)\b)|,\s++(?=(?:i|my) )|[，,](?=我)",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"(?:it|this|that|these|those|them|him|her|you|your|how|the way|what|when|to)\b"
    r"|你|这|那|它|他|她|吗|什么",
    re.IGNORECASE,
)
_EDGES = " \t,.!;:，。！；：、\"'“”"
_LONGEST = 200
_MOST_READ = 2_000
_SURE, _CORRECTED = 0.9, 0.95


class RuleExtractor:
    """Extracts by rules; for the demonstration, where there is no model."""

    name = "demonstration rules"

    async def open(self) -> None:
        """Do nothing: rules need no preparation."""

    def corrects(self, said: str) -> bool:
        return any(
            rule.category is Category.CORRECTION
            for sentence in split_statements(said[:_MOST_READ])
            for rule, _ in match_rules(sentence)
        )

    async def extract(
        self, material: LearnableTurns, document: MemoryDocument, index: FactSearch, now: float
    ) -> Diff:
        """Return what the rules find; on a thread, as a person may have said much."""
        return await asyncio.to_thread(self._found, material, document)

    def _found(self, material: LearnableTurns, document: MemoryDocument) -> Diff:
        facts: list[ProposedFact] = []
        removals: dict[str, Removal] = {}
        before: dict[str, str] = {}
        for turn in material.turns:
            for sentence in split_statements(turn.said):
                removals |= {each.id: each for each in _forgotten(sentence, document.facts)}
                for rule, value in match_rules(sentence):
                    fact = _fact(rule, value, turn, before.get(turn.thread, ""))
                    facts.append(replace(fact, judgements=tuple(_superseded(rule, value, document.facts))))
            before[turn.thread] = turn.reply
        return Diff(new_facts=tuple(facts), removals=tuple(removals.values()))


def split_statements(text: str) -> Iterator[str]:
    """Yield the sentences of a text that are no questions."""
    begin = 0
    for end in [*_END.finditer(text), None]:
        sentence = text[begin : end.start() if end else len(text)].strip(_EDGES)
        asks = end is not None and any(mark in end[0] for mark in "?？")
        if sentence and not asks:
            yield sentence
        begin = end.end() if end else begin


def match_rules(sentence: str) -> list[tuple[ExtractionRule, str]]:
    """Return the rules that match a sentence or its clauses, with what each captured."""
    found = [_match(WHOLE, sentence)]
    if found == [None]:
        found = [_match(RULES, clause.strip(_EDGES)) for clause in _CLAUSE.split(sentence)]
    return [each for each in found if each is not None]


def _match(rules: Sequence[ExtractionRule], statement: str) -> tuple[ExtractionRule, str] | None:
    for rule in rules:
        match = rule.pattern.fullmatch(statement)
        if match is not None:
            value = join_lines(next(filter(None, match.groups()), "")).strip(_EDGES)[:_LONGEST]
            return (rule, value) if value and not _POINTS.match(value) else None
    return None


def _fact(rule: ExtractionRule, value: str, turn: LearnableTurn, reply: str) -> ProposedFact:
    corrects = rule.category is Category.CORRECTION
    return ProposedFact(
        content=rule.content.format(value),
        category=rule.category,
        confidence=_CORRECTED if corrects else _SURE,
        source_error=join_lines(reply)[:_LONGEST] if corrects else "",
        turns=(turn.id,),
    )


def _superseded(rule: ExtractionRule, value: str, facts: Sequence[Fact]) -> Iterator[Judgement]:
    """Yield judgements on what the rule learned before and is no longer true."""
    if not rule.one:
        return
    start, _, end = rule.content.casefold().partition("{}")
    for fact in facts:
        content = fact.content.casefold()
        if (
            content.startswith(start)
            and content.endswith(end)
            and content != f"{start}{value.casefold()}{end}"
        ):
            yield Judgement(fact.id, Relation.SUPERSEDES)


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
