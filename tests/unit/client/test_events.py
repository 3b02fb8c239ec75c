"""Snapshots of a reply become events: each thing once, and text that grows apart from text that changes."""

from dataclasses import replace
from itertools import pairwise

from parley.channels.web.chat.entries import TranscriptEntry
from parley.channels.web.files.file_ref import FileRef
from parley.client.events import (
    ChatAnswer,
    FileDelivered,
    QuestionAsked,
    ReplyFinished,
    StepShown,
    TextAdded,
    TextReplaced,
    compare_entries,
)
from parley.core.model.attachments import AttachmentKind
from parley.core.model.questions import Question
from parley.core.model.types import Step, StepStatus

RUNNING = Step("1", "Look it up", StepStatus.RUNNING)
DONE = replace(RUNNING, status=StepStatus.DONE)
FILE = FileRef("file-0001", "a.txt", "text/plain", 3, AttachmentKind.FILE)
QUESTION = Question("q-1", "Go on?")


def reply(text: str, *steps: Step) -> TranscriptEntry:
    return TranscriptEntry("turn-1", "agent", 1, text, "message-1", steps, final=False)


def test_what_grows_is_said_once() -> None:
    seen = [reply("", RUNNING), reply("It is", RUNNING), reply("It is", DONE), reply("It is", DONE)]
    assert list(compare_entries(None, seen[0])) == [StepShown("turn-1", RUNNING)]
    assert [list(compare_entries(*pair)) for pair in pairwise(seen)] == [
        [TextAdded("turn-1", "It is")],
        [StepShown("turn-1", DONE)],
        [],
    ]


def test_a_text_that_changed_comes_whole() -> None:
    assert list(compare_entries(reply("It is"), reply("Sorry"))) == [TextReplaced("turn-1", "Sorry")]


def test_the_end_brings_files_and_the_question() -> None:
    whole = replace(reply("It is noon"), final=True, files=(FILE,), question=QUESTION)
    assert list(compare_entries(reply("It is"), whole)) == [
        TextAdded("turn-1", " noon"),
        FileDelivered("turn-1", FILE),
        QuestionAsked("turn-1", QUESTION),
        ReplyFinished("turn-1", whole),
    ]


def test_an_answer_is_all_of_its_entries() -> None:
    first = replace(reply("It is noon", DONE), suggestions=("And then?",))
    second = replace(reply("Go on?"), id="q", question=QUESTION)
    answer = ChatAnswer("chat-0001", "", "message-1", (replace(first, files=(FILE,)), second))
    assert str(answer) == answer.text == "It is noon\n\nGo on?"
    assert (answer.steps, answer.files, answer.questions) == ((DONE,), (FILE,), (QUESTION,))
    assert answer.suggestions == ("And then?",)
