"""A reply in the terminal reads like a reply."""

import pytest

from parley.app.cli.clients.chat_client import is_failure
from parley.app.cli.service.chat import choose_suggestion
from parley.app.cli.terminal_render import DelayPrinter, ReplyPrinter
from parley.core.texts import Sentence, say


def entry(text, *steps, final=False, files=()):
    return {
        "id": "turn",
        "role": "agent",
        "text": text,
        "reply_to": "message",
        "final": final,
        "steps": [{"id": step, "title": step, "status": "done"} for step in steps],
        "files": [{"id": name, "name": name} for name in files],
    }


@pytest.fixture
def shown(capsys):
    def show(growing, *entries):
        screen = ReplyPrinter(growing=growing)
        for each in entries:
            screen.show(each)
        return capsys.readouterr()

    return show


def test_a_growing_text_is_printed_once(shown):
    assert shown(True, entry("Hel"), entry("Hello"), entry("Hello!", final=True)).out == "Hello!\n"


def test_what_is_asked_comes_after_the_reply(shown):
    asked = entry("Send it?", final=True) | {"id": "question"}
    assert (
        shown(True, entry("I wrote"), entry("I wrote it.", final=True), asked).out
        == "I wrote it.\nSend it?\n"
    )


def test_a_questions_options_are_numbered(shown):
    asked = entry("Send it?", final=True) | {
        "question": {"options": [{"label": "Approve"}, {"label": "Reject"}]}
    }
    assert shown(False, asked).out == "Send it?\n  1. Approve\n  2. Reject\n"


def test_into_a_pipe_goes_only_the_final_text(shown):
    captured = shown(False, entry("Let me", "clock"), entry("It is noon.", "clock", final=True))
    assert (captured.out, captured.err) == ("It is noon.\n", "")


def test_a_text_that_was_rewritten_is_printed_again_as_a_whole(shown):
    assert (
        shown(True, entry("Let me see"), entry("It is noon.", final=True)).out == "Let me see\nIt is noon.\n"
    )


def test_steps_never_break_a_paragraph(capsys):
    screen = ReplyPrinter(growing=True)
    screen.show(entry("Let me"))
    screen.show(entry("Let me look", "clock"))
    assert capsys.readouterr() == ("Let me look", "")
    screen.show(entry("Let me look.\n\nIt is", "clock"))
    screen.show(entry("Let me look.\n\nIt is noon.", "clock", final=True))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (".\n\nIt is noon.\n", "  · clock\n")


def test_files_are_named_at_the_end(shown):
    assert shown(False, entry("Here.", final=True, files=["a.pdf"])).out == "Here.\n[file: a.pdf]\n"


def test_that_the_agent_is_not_there_yet_is_no_text_of_a_reply(shown):
    trying = entry("The agent is not answering yet. Still trying …")
    assert shown(True, trying, entry("Hello", final=True)).out == "Hello\n"


def test_why_nothing_comes_is_said_once_and_beside_the_answer(capsys):
    delays = DelayPrinter()
    for _ in range(3):
        delays.show("The agent does not answer yet.")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "parley: The agent does not answer yet.\n")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_answer_that_there_is_none_is_known(language):
    failed = say(language, Sentence.ANSWER_FAILED, reference="4711")
    assert is_failure(entry(f"Half of it\n\n{failed}", final=True))
    assert not is_failure(entry(failed))
    assert not is_failure(entry("Hello", final=True))


def test_what_is_suggested_is_numbered_where_somebody_types(shown):
    suggests = entry("Hello!", final=True) | {"suggestions": ["Why?", "How?"]}
    numbered = "\n  To ask one of these, type its number:\n  1. Why?\n  2. How?\n"
    assert shown(True, suggests).out == f"Hello!\n{numbered}"
    assert shown(False, suggests).out == "Hello!\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [("2", "How?"), ("3", "3"), ("0", "0"), ("-1", "-1"), ("1.", "1."), ("²", "²"), ("x", "x")],
)
def test_a_number_asks_what_is_suggested(line, said):
    assert choose_suggestion(line, ["Why?", "How?"]) == said
