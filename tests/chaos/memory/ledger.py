"""The account: what an answer knows its person said, where that place may know it, and did not erase."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.chaos.memory.words import PRIVATE, WORD, read


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to a person, by number, in a place; `step` is that of their question."""

    person: int
    place: str
    step: int
    text: str


@dataclass
class Ledger:
    """Collects answers, and the last step before each erasure of a person."""

    answers: list[Answer] = field(default_factory=list)
    erased: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    known: int = 0

    def problems(self, kept: str) -> Sequence[str]:
        """What must not be; `kept` is all that is stored of memories after everybody has erased theirs."""
        left = sorted(set(WORD.findall(kept)))
        found = [problem for answer in self.answers for problem in self._read(answer)]
        return [*found, *(f"{each} is still stored" for each in left)]

    def _read(self, answer: Answer) -> Iterator[str]:
        for text in sorted(set(WORD.findall(answer.text))):
            word, where = read(text), f"step {answer.step} of person {answer.person} in {answer.place}"
            self.known += 1
            if word.person != answer.person:
                yield f"{where} is told {text}, which person {word.person} said"
            elif answer.place != PRIVATE and word.place == PRIVATE:
                yield f"{where} is told {text}, which was said in private"
            if any(word.number < erasure < answer.step for erasure in self.erased[word.person]):
                yield f"{where} is told {text}, which was erased"

    def missing(self, answer: Answer, told: Sequence[int]) -> Sequence[int]:
        """The numbers of words, said by a person and not erased, that an answer does not know."""
        there = {read(text).number for text in WORD.findall(answer.text)}
        last = max((each for each in self.erased[answer.person] if each < answer.step), default=0)
        return [number for number in told if last < number < answer.step and number not in there]
