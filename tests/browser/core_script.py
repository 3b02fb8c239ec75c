"""What the scripted core says, by a word in the message."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from parley.core.hitl.render import localise_question, render_prompt
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.questions import Option, Question, QuestionKind
from parley.core.model.types import OutboundMessage, Step, StepStatus

DOCUMENT = Path(__file__).with_name("document.md").read_text(encoding="utf-8")
_WORDS = DOCUMENT.split(" ")
_BEGUN = len(DOCUMENT.partition("### Keeping")[0].split(" ")) + 8
_CLOCK = Step("s1", "Looking at the clock", StepStatus.RUNNING)
_PONDER = Step("s2", "Thinking it over", StepStatus.RUNNING)
_OPTIONS = (Option("approve", "Approve"), Option("reject", "Reject"))
LAST_WORDS = "P.S. The very last word of this e-mail is: quince."
_MAIL = {
    "to": "ada@example.org",
    "subject": "Lunch",
    "body": f"Hi Ada,\n\n{'Do you have time for lunch at noon? ' * 8}\n{'x' * 300}\n\n{LAST_WORDS}",
    "options": {"cc": ["bob@example.org"], "retries": 2},
}
_ASKED = localise_question(
    "en",
    Question(
        "q1",
        "",
        _OPTIONS,
        may_edit=True,
        kind=QuestionKind.APPROVAL,
        action="send_email",
        arguments=json.dumps(_MAIL),
    ),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a script works with: an empty snapshot, the person's words, a folder, and when to go on."""

    blank: OutboundMessage
    text: str
    folder: Path
    release: asyncio.Event

    def growing(self, text: str, *steps: Step) -> OutboundMessage:
        return replace(self.blank, text=text, steps=steps)

    def final(self, text: str, *steps: Step) -> OutboundMessage:
        return replace(self.blank, text=text, steps=steps, final=True, rateable=True)


Snapshots = AsyncIterator[OutboundMessage]


async def _time(turn: Turn) -> Snapshots:
    yield turn.growing("", _CLOCK)
    await asyncio.sleep(0.2)
    yield turn.final("It is **12:00** in UTC.", replace(_CLOCK, status=StepStatus.DONE))


async def _hold(turn: Turn) -> Snapshots:
    looked = replace(_CLOCK, status=StepStatus.DONE)
    yield turn.growing("One moment, I am", looked, _PONDER)
    await turn.release.wait()
    yield turn.final("One moment, I am done.", looked, replace(_PONDER, status=StepStatus.FAILED))


async def _wait(turn: Turn) -> Snapshots:
    """Stands in the queue behind what is held: nothing of it is shown before."""
    await turn.release.wait()
    yield turn.final(f"You waited: {turn.text}")


async def _grow(turn: Turn) -> Snapshots:
    looked = replace(_CLOCK, status=StepStatus.DONE)
    yield turn.growing("One", looked, _PONDER)
    await turn.release.wait()
    yield turn.growing("One, two", looked, _PONDER)
    await asyncio.Event().wait()


async def _think(turn: Turn) -> Snapshots:
    """Thinks aloud, once more when it is told to go on, and answers when it is told again."""
    thinks = Step("thinking", "Thinking", StepStatus.RUNNING, output="First <b>this</b>.")
    yield turn.growing("", thinks)
    await turn.release.wait()
    turn.release.clear()
    thinks = replace(thinks, output="First <b>this</b>.\n\nThen that.")
    yield turn.growing("", thinks)
    await turn.release.wait()
    looked = replace(_CLOCK, status=StepStatus.DONE)
    yield turn.final("I thought.", replace(thinks, status=StepStatus.DONE), looked)


def _scout(place: str, status: StepStatus = StepStatus.RUNNING, did: str = "web search") -> Step:
    task = f"How is the weather in {place} today, and what will it be like tomorrow?"
    return Step(place, f"researcher: {task[:50]}…", status, details=task, output=did)


async def _scouts(turn: Turn) -> Snapshots:
    """Two work at once and a third waits; one is done, one fails, and the last takes too long."""
    rome, oslo = _scout("Rome", did="web search\nweb fetch"), _scout("Oslo")
    yield turn.growing("", rome, oslo, _scout("Lima", StepStatus.PENDING, ""))
    await turn.release.wait()
    turn.release.clear()
    rome = replace(rome, status=StepStatus.DONE)
    yield turn.growing("", rome, replace(oslo, status=StepStatus.FAILED), _scout("Lima"))
    await turn.release.wait()
    lima = _scout("Lima", StepStatus.FAILED)
    yield turn.final("It is sunny in Rome.", rome, replace(oslo, status=StepStatus.FAILED), lima)


async def _document(turn: Turn) -> Snapshots:
    """Stands still behind its table until it is told to go on: who wants to see it grow is never late."""
    for count in range(8, len(_WORDS), 8):
        if _BEGUN <= count < _BEGUN + 8:
            await turn.release.wait()
        yield turn.growing(" ".join(_WORDS[:count]))
        await asyncio.sleep(0.03)
    yield turn.final(DOCUMENT)


async def _mail(turn: Turn) -> Snapshots:
    yield replace(turn.final(f"I have written it.\n\n{render_prompt('en', _ASKED)}"), question=_ASKED)


async def _file(turn: Turn) -> Snapshots:
    path = turn.folder / "report.csv"
    path.write_text("a,b\n1,2\n")
    file = StoredFile(AttachmentKind.FILE, "report.csv", "text/csv", path.stat().st_size, str(path))
    yield replace(turn.final("Here is the report."), attachments=(file,))


SUGGESTED = ("How hot should the water be?", "<b>Which</b> tea is mildest?", "W" * 75)


async def _brew(turn: Turn) -> Snapshots:
    yield turn.growing("Pour water")
    yield replace(
        turn.final("Pour water over the leaves, and wait for three minutes."), suggestions=SUGGESTED
    )


async def _echo(turn: Turn) -> Snapshots:
    yield turn.final(turn.text)


_SCRIPTS: dict[str, Callable[[Turn], Snapshots]] = {
    "time": _time,
    "hold": _hold,
    "queue": _wait,
    "think": _think,
    "grow": _grow,
    "scouts": _scouts,
    "document": _document,
    "mail": _mail,
    "report": _file,
    "brew": _brew,
}


def play(turn: Turn) -> Snapshots:
    """The snapshots of a turn, the final one last; words without a script are said back."""
    script = next((script for word, script in _SCRIPTS.items() if word in turn.text), _echo)
    return script(turn)
