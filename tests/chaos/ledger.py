"""The account of every message: answered once, in order, or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.chaos.plan import Line


@dataclass(frozen=True, slots=True)
class Shown:
    """One message of the bot as it stands at the end.

    `answers` is the id of what it is for ("" if that cannot be told), `whole` says that the full answer
    is in it, `file` that it carries the answer's file.
    """

    answers: str
    text: str
    whole: bool
    file: bool = False


@dataclass
class Account:
    """What became of all messages; ids of messages, but for `stubs`, which are texts."""

    turns: int = 0
    answered: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)
    files_lost: list[str] = field(default_factory=list)
    files_doubled: list[str] = field(default_factory=list)
    stubs: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, doubled or out of order, files that came twice aside."""
        return not (self.lost or self.doubled or self.reordered or self.files_lost)


def settle(lines: Sequence[tuple[Line, Sequence[Shown]]]) -> Account:
    """The account of conversations, each with what the bot has written there, oldest first."""
    account = Account()
    for line, shown in lines:
        _add(account, line, shown)
    return account


def _add(account: Account, line: Line, shown: Sequence[Shown]) -> None:
    ids = [said.id for said in line.said]
    whole = Counter(each.answers for each in shown if each.whole)
    files = Counter(each.answers for each in shown if each.file)
    owed = {said.id for said in line.said if said.makes_file}
    account.turns += len(ids)
    account.answered += sum(1 for one in ids if whole[one])
    account.lost += [one for one in ids if not whole[one]]
    account.doubled += [one for one in ids if whole[one] > 1]
    account.files_lost += [one for one in ids if one in owed and not files[one]]
    account.files_doubled += [one for one in ids if files[one] > 1]
    account.reordered += _late([said.id for said in line.said if not said.command], shown)
    account.stubs += [each.text for each in shown if not each.whole and not each.file]


def _late(ids: Sequence[str], shown: Sequence[Shown]) -> list[str]:
    """Messages whose first answer stands after that of a later message."""
    places: dict[str, int] = {}
    for place, each in enumerate(shown):
        if each.whole:
            places.setdefault(each.answers, place)
    late: list[str] = []
    earliest = len(shown)
    for one in reversed(ids):
        if places.get(one, -1) > earliest:
            late.append(one)
        earliest = min(earliest, places.get(one, earliest))
    return late[::-1]
