"""The account: what an answer knows its person said, where that place may know it, and did not erase."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from tests.chaos.memory.words import PRIVATE, WORD, read


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to a person, by number, in a place; `step` is that of their question.

    The text has the words of three sources: the facts that the run was given, those that a tool finds, and
    past conversations.
    """

    person: int
    place: str
    step: int
    text: str

    def words(self, source: int) -> set[str]:
        """The person's own words of a source."""
        (*_, text) = self.text.split("|")[: source + 1]
        return {each for each in WORD.findall(text) if read(each).person == self.person}


@dataclass
class Exercised:
    """How often that was there which a fault would give away, or keep."""

    private_facts_offered_in_groups: int = 0
    questions_beside_known_words_of_others: int = 0
    past_words_at_an_erasure: int = 0
    lessons_under_way_at_an_erasure: int = 0

    def too_few(self, least: Mapping[str, int]) -> Sequence[str]:
        """What was there less often than so many times."""
        found = [(name, number, least.get(name, 0)) for name, number in asdict(self).items()]
        return [f"{name}: {number}, not {most}" for name, number, most in found if number < most]

    def __str__(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')}: {number}" for name, number in asdict(self).items())


@dataclass
class Ledger:
    """Collects answers, and the last step before each erasure of a person."""

    answers: list[Answer] = field(default_factory=list)
    erased: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    known: int = 0
    exercised: Exercised = field(default_factory=Exercised)
    _facts: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    _past: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def known_of_others(self, person: int) -> set[str]:
        """The words that were known, and are not erased, of everybody else."""
        return {word for other, words in [*self._facts.items()] if other != person for word in words}

    def add(self, answer: Answer, known_of_others: set[str]) -> None:
        """Note an answer; `known_of_others` is what was known when its question was asked."""
        self.answers.append(answer)
        still = known_of_others & self.known_of_others(answer.person)
        self.exercised.questions_beside_known_words_of_others += bool(still)
        if answer.place == PRIVATE:
            self._facts[answer.person] |= answer.words(0)
            self._past[answer.person] |= answer.words(2)
        else:
            private = [word for word in self._facts[answer.person] if read(word).place == PRIVATE]
            self.exercised.private_facts_offered_in_groups += len(private)

    def erase(self, person: int, step: int, *, under_way: bool) -> None:
        """Note an erasure, and whether a lesson was under way."""
        self.erased[person].append(step)
        self.exercised.lessons_under_way_at_an_erasure += under_way
        self.exercised.past_words_at_an_erasure += len(self._past.pop(person, ()))
        self._facts.pop(person, None)

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
            if any(word.number <= erasure < answer.step for erasure in self.erased[word.person]):
                yield f"{where} is told {text}, which was erased"

    def missing(self, answer: Answer, told: Sequence[int]) -> Sequence[int]:
        """The numbers of words, said by a person and not erased, that an answer does not know as facts."""
        there = {read(text).number for text in answer.words(0)}
        last = max((each for each in self.erased[answer.person] if each < answer.step), default=0)
        return [number for number in told if last < number < answer.step and number not in there]
