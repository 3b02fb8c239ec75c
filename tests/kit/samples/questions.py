"""Questions of an agent for tests of the core, and how they are asked and answered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from parley.core.hitl import audit
from parley.core.model.address import Conversation, User
from parley.core.model.questions import AnswerKind, Click, InterruptAnswer, Option, Question, QuestionKind
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from tests.kit.doubles.core import Core, RecordingChannel, Script, ScriptedAgent

ANN, BOB, EVE = (User("test", name, name.title()) for name in ("ann", "bob", "eve"))


YES_NO = (Option("approve", "Approve"), Option("reject", "Reject"))


MAIL = Question(
    "i1", "", YES_NO, may_edit=True, kind=QuestionKind.APPROVAL, action="send_mail", arguments='{"to": "bob"}'
)


def asking(*questions: Question) -> Script:
    """An agent that asks, and then says what it was given."""

    async def script(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        if request.answer is not None:
            given = "; ".join(map(_as_said, request.answer.given))
            yield RunEnded(Outcome.ANSWERED, f"given {given}")
        elif request.text.startswith("ask"):
            yield RunEnded(Outcome.ASKED, "I wrote a mail.", questions=questions)
        else:
            yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")

    return script


def _as_said(answer: InterruptAnswer) -> str:
    edit = "edit " if answer.kind is AnswerKind.EDIT else ""
    return f"{answer.question}={edit}{answer.text}"


def with_buttons() -> RecordingChannel:
    channel = RecordingChannel()
    channel.capabilities = replace(channel.capabilities, buttons=True)
    return channel


def click(key: str, option: str, sender: User = ANN, text: str = "", number: int = 0) -> Click:
    return Click(
        f"{key} {option} {sender.id} {number}", key, option, sender, Conversation("test", "chat"), True, text
    )


def keys(parley: Core) -> list[str]:
    return [final.question.id for final in parley.channel.finals if final.question]


async def entries(parley: Core) -> list[tuple[str, str, str]]:
    return [(each.kind, each.who, each.option) async for each in audit.list_entries(parley.journal)]
