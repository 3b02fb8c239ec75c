"""The account of every message: answered once, in order, or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.chaos.planning.plan import QUESTION, Line


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


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation at the end, with what the bot has written there, oldest first.

    `missed` are ids of messages that the platform never handed over, for all we know, `overtaken` of those
    that it handed over only after a later one of the conversation. `keyless` says that
    texts go out without anything by which the platform would know one again.
    """

    line: Line
    shown: Sequence[Shown]
    missed: frozenset[str] = frozenset()
    overtaken: frozenset[str] = frozenset()
    keyless: bool = False


@dataclass
class Account:
    """What became of all messages; ids of messages, but for `stubs`, which are texts behind their platform.

    `missed` never came to us, and `swapped` came in another order than that in which they were said: both are
    the platform's doing. `repeated` are answers that stand twice where a platform has no key against that.
    """

    turns: int = 0
    answered: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)
    files_lost: list[str] = field(default_factory=list)
    files_doubled: list[str] = field(default_factory=list)
    stubs: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    swapped: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, doubled or out of order by us, what no key prevents aside."""
        return not (self.lost or self.doubled or self.reordered or self.files_lost)


def settle(conversations: Sequence[Told]) -> Account:
    """The account of conversations; order is that in which people said things, whatever was written down."""
    account = Account()
    for told in conversations:
        _add(account, told)
    return account


def transcript(told: Told) -> str:
    """What was said in a conversation, and how it stands there, for whoever looks into a failure."""
    said = [f"  > {said.id} {said.text}" for said in told.line.said]
    shown = [
        f"  < {each.answers or '?'} {'' if each.whole else '(not whole) '}{each.text!r}"
        for each in told.shown
    ]
    head = f"{told.line.kind.platform} {told.line.kind.name}, missed {sorted(told.missed)}"
    return "\n".join([head, *said, *shown, ""])


def _add(account: Account, told: Told) -> None:
    line, shown = told.line, told.shown
    ids = [said.id for said in line.said]
    whole = Counter(each.answers for each in shown if each.whole)
    files = Counter(each.answers for each in shown if each.file)
    owed = {said.id for said in line.said if said.makes_file and whole[said.id]}
    late = _late([said.id for said in line.said if not said.command], shown)
    twice = account.repeated if told.keyless else account.doubled
    account.turns += len(ids)
    account.answered += sum(1 for one in ids if whole[one])
    account.lost += [one for one in ids if not whole[one] and one not in told.missed]
    account.missed += [one for one in ids if not whole[one] and one in told.missed]
    twice += [one for one in ids if whole[one] > 1]
    account.files_lost += [one for one in ids if one in owed and not files[one]]
    account.files_doubled += [one for one in ids if files[one] > 1]
    account.reordered += [one for one in late if one not in told.overtaken]
    account.swapped += [one for one in late if one in told.overtaken]
    left = [each.text for each in shown if not each.whole and not each.file and QUESTION not in each.text]
    account.stubs += [f"{line.kind.platform}: {text}" for text in left]


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
