"""Answers of a model that reads what Parley's order finds, judged by a model: any with OpenAI's protocol."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import mean

from benchmarks.dialogues.retrieval import Lines, exact_counter
from benchmarks.dialogues.shapes import AskedQuestion, LongDialogue
from benchmarks.kit.progress import show_progress
from benchmarks.kit.tables import Table
from benchmarks.recall.rankers import Maker
from parley.memory.inject.lines import fact_line

_READ = """Below are lines from earlier conversations, each with the date on which it was said.
Answer the question from them in as few words as possible. Words such as "yesterday" refer to the date of
their line. If the lines do not tell, answer: not known.

{lines}
{today}Question: {question}"""
_JUDGE = """Does the given answer say the same as the right answer to this question? Other wording, another
form of a date and further correct details are fine; another fact, or no answer, is not. If the right answer
says that it is not known, an answer that says so is right.

Question: {question}
Right answer: {right}
Given answer: {given}

Reply with one word: CORRECT or WRONG."""
_MOST_FAILED = 3


class Verdict(Enum):
    """What became of a question."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREADABLE = "no verdict"
    FAILED = "failed call"


@dataclass(frozen=True, slots=True)
class Judged:
    """One question with its answer, and how it was judged."""

    question: AskedQuestion
    given: str
    verdict: Verdict
    tokens: int


class ModelCallFailed(Exception):
    """Calls of a model that failed one after the other; the text says which and why."""


Ask = Callable[[str], str]
"""A prompt to the text of a model's answer. Raises ModelCallFailed."""


def chat_model(name: str, base_url: str, api_key: str, seed: int) -> Ask:
    """Return how to ask a model of a service with OpenAI's protocol."""
    # Imported late: only this part needs it, and it takes a second.
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    model = ChatOpenAI(
        model=name,
        base_url=base_url or None,
        api_key=SecretStr(api_key or "none"),
        temperature=0,
        seed=seed,
        max_retries=4,
    )

    def ask(prompt: str) -> str:
        try:
            return model.invoke(prompt).text.strip()
        except Exception as error:  # whatever the provider's client raises
            raise ModelCallFailed(f"{name} at {base_url or 'the default address'}: {error}") from error

    return ask


def judge_answers(
    dialogues: Sequence[LongDialogue], maker: Maker, budget: int, reader: Ask, judge: Ask
) -> list[Judged]:
    """Return every question answered and judged. Raises ModelCallFailed after three failures in a row."""
    found: list[Judged] = []
    many = sum(len(dialogue.questions) for dialogue in dialogues)
    failed = 0
    for asked, shown, tokens in _shown(dialogues, maker, budget):
        try:
            found.append(_judged(asked, shown, tokens, reader, judge))
            failed = 0
        except ModelCallFailed as error:
            failed += 1
            if failed == _MOST_FAILED:
                raise
            sys.stderr.write(f"\n{error}\n")
            found.append(Judged(asked, "", Verdict.FAILED, tokens))
        show_progress(len(found), many, "questions")
    return found


def _shown(
    dialogues: Sequence[LongDialogue], maker: Maker, budget: int
) -> Iterator[tuple[AskedQuestion, str, int]]:
    """Yield each question with the lines that the reader sees, and their tokens."""
    counter = exact_counter()
    for dialogue in dialogues:
        order, lines = maker(dialogue.turns), Lines(dialogue, counter)
        for asked in dialogue.questions:
            shown = "".join(map(fact_line, lines.within(order([asked.text]), budget)))
            yield asked, shown, counter.count(shown)


def _judged(asked: AskedQuestion, shown: str, tokens: int, reader: Ask, judge: Ask) -> Judged:
    today = f"Today is {asked.asked_on}.\n" if asked.asked_on else ""
    given = reader(_READ.format(lines=shown, today=today, question=asked.text))
    said = judge(_JUDGE.format(question=asked.text, right=asked.answer, given=given))
    return Judged(asked, given, _verdict(said), tokens)


def _verdict(said: str) -> Verdict:
    words = {word.strip(".*_\"'`").upper() for word in said.split()}
    right, wrong = "CORRECT" in words, "WRONG" in words
    if right == wrong:
        return Verdict.UNREADABLE
    return Verdict.RIGHT if right else Verdict.WRONG


def answer_table(judged: Sequence[Judged], budget: int) -> Table:
    """Return the share of right answers by kind of question."""
    kinds = sorted({one.question.kind for one in judged})
    rows = [(kind, *_cells([one for one in judged if one.question.kind == kind])) for kind in kinds]
    return Table(
        "dialogues-answers",
        f"Answers from at most {budget:,} tokens, {len(judged)} questions",
        ("kind", "questions", "right", "no verdict", "failed calls", "tokens shown"),
        (*rows, ("all", *_cells(judged))),
        "Right: of all questions. No verdict and failed calls count as not right.",
    )


def _cells(judged: Sequence[Judged]) -> tuple[str, ...]:
    counts = {verdict: sum(one.verdict is verdict for one in judged) for verdict in Verdict}
    return (
        str(len(judged)),
        f"{counts[Verdict.RIGHT] / len(judged):.3f}",
        str(counts[Verdict.UNREADABLE]),
        str(counts[Verdict.FAILED]),
        f"{mean(one.tokens for one in judged):.0f}",
    )
