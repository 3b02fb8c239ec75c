"""What will be said, killed and broken: all of it made from one seed, so that a run can be had again."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Literal

from tests.chaos.planning.process_faults import ProcessFault, make_process_faults
from tests.chaos.planning.scale import Edition, Scale, spread

Platform = Literal["web", "telegram", "slack", "feishu", "dingtalk"]
Trouble = Literal[
    "again", "backwards", "429", "500", "cut before", "cut after", "garbled", "slow", "drop", "outage"
]

_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "hazel", "iris", "juniper", "kelp")
FILE = r"Here is a file with what you said so far\.$"
_TIME = r"It is \w+, \d{4}-\d\d-\d\d \d\d:\d\d \S+\.$"
_WHO = r"This conversation is `?(web|telegram|slack|feishu|dingtalk):"
_ASKED = r"I will need your approval for that\."
QUESTION = "needs your approval"
"""What is in a question, which is a message of its own where it has buttons."""
_APPROVED = r"You approved it, but this is a demonstration: nothing was sent\."
ID = re.compile(r"c\d+n\d{3}")


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of place to talk. `aims` says that an answer there shows which message it is for; elsewhere
    only its words tell. `asks` says that the agent may be asked for what it needs approval for."""

    platform: Platform
    name: str
    aims: bool = False
    asks: bool = False


# Approvals need messages in the order in which they were sent, which three platforms do not promise.
KINDS = (
    Kind("web", "chat", aims=True, asks=True),
    Kind("telegram", "private"),
    Kind("slack", "thread"),
    Kind("feishu", "group", aims=True),
    Kind("dingtalk", "private"),
    Kind("telegram", "group", aims=True, asks=True),
    Kind("slack", "DM"),
    Kind("feishu", "private"),
    Kind("web", "topic", aims=True, asks=True),
    Kind("dingtalk", "group"),
    Kind("telegram", "topic", aims=True, asks=True),
    Kind("slack", "channel"),
    Kind("feishu", "topic", aims=True),
)
"""Where people talk, in the order in which conversations take them."""

_ALWAYS: tuple[Trouble, ...] = (
    *("again", "429", "500", "cut before", "cut after", "garbled", "slow", "drop", "outage"),
)
TROUBLES: tuple[tuple[Platform, tuple[Trouble, ...]], ...] = (
    ("telegram", _ALWAYS),
    ("slack", (*_ALWAYS, "backwards")),
    ("feishu", (*_ALWAYS, "backwards")),
    ("dingtalk", (*_ALWAYS, "backwards")),
)
"""What each platform can do wrong."""

_LENGTH = 25
"""So many messages make a conversation; more make more conversations, one after another."""
AT_ONCE = 2 * len(KINDS)
"""So many conversations are held at once."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message; its answer matches `answer` when it is there in full.

    The next one is said `pause` seconds later, and not before all but `ahead` of the conversation's
    messages are answered. `repeats` is how many more times an impatient client sends it. A `command` is
    answered at once, so it keeps no order.
    """

    id: str
    text: str
    answer: re.Pattern[str]
    pause: float
    ahead: int
    repeats: int
    makes_file: bool = False
    command: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One conversation, first to last."""

    kind: Kind
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class PlatformFault:
    """Something that a platform does wrong after so many answers."""

    answers: int
    platform: Platform
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that happens to an installation."""

    scale: Scale
    edition: Edition
    lines: tuple[Line, ...]
    blows: tuple[ProcessFault, ...]
    faults: tuple[PlatformFault, ...]


def make_plan(scale: Scale, edition: Edition) -> Plan:
    """The plan of a seed."""
    dice = random.Random(f"{scale.seed} words")
    count = min(scale.turns, max(len(KINDS), scale.turns // _LENGTH))
    sizes = [scale.turns // count + (number < scale.turns % count) for number in range(count)]
    lines = tuple(_line(dice, number, size) for number, size in enumerate(sizes))
    return Plan(scale, edition, lines, make_process_faults(scale, edition), _faults(scale))


def _faults(scale: Scale) -> tuple[PlatformFault, ...]:
    dice = random.Random(f"{scale.seed} faults")
    places = spread(dice, scale.turns, max(4, scale.turns // 5))
    # All of them, shuffled, and then again: none comes twice before each came once.
    deck = [(platform, trouble) for platform, troubles in TROUBLES for trouble in troubles]
    dice.shuffle(deck)
    return tuple(PlatformFault(at, *deck[number % len(deck)]) for number, at in enumerate(places))


def _line(dice: random.Random, number: int, size: int) -> Line:
    kind = KINDS[number % len(KINDS)]
    said: list[Said] = []
    while len(said) < size:
        said += _next(dice, kind, number, len(said), room=size - len(said))
    return Line(kind, tuple(said))


def _next(dice: random.Random, kind: Kind, line: int, turn: int, room: int) -> list[Said]:
    """What is said next; only an approval takes two messages."""
    what = dice.random()
    name = f"c{line:02}n{turn:03}"
    if what < 0.1:
        return [replace(_said(dice, name, f"Make a file {name}", FILE), makes_file=True)]
    if what < 0.2 and kind.aims:
        return [_said(dice, name, f"What time is it {name}", _TIME)]
    if what < 0.25 and kind.aims:
        return [replace(_said(dice, name, "/whoami", _WHO), command=True)]
    if what < 0.35 and kind.asks and room > 1:
        asked = _said(dice, name, f"Send an e-mail to {name}@example.org", _ASKED)
        return [asked, _said(dice, f"c{line:02}n{turn + 1:03}", "approve", _APPROVED)]
    return [echo(name, dice)]


def echo(name: str, dice: random.Random) -> Said:
    """Something that the agent says again."""
    text = f"{name} {' '.join(dice.choices(_WORDS, k=dice.randint(3, 25)))} over"
    # A platform may show the agent what a message answers to.
    return _said(dice, name, text, rf"You said: (?:> .*\n+)?{text}$")


def _said(dice: random.Random, name: str, text: str, answer: str) -> Said:
    pause, ahead = dice.uniform(0, 0.3), dice.choice((0, 0, 1, 2, 4))
    return Said(name, text, re.compile(answer), pause, ahead, repeats=dice.choice((0, 0, 0, 1, 2)))
