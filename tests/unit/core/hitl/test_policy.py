"""What words mean to a question, however odd they are."""

import pytest

from parley.core.hitl.policy import parse_reply
from parley.core.model.questions import AnswerKind, Option, Question

ASKED = Question("q", "Send it?", (Option("approve", "Approve"), Option("reject", "Reject")), may_edit=True)


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("2", (AnswerKind.OPTION, "reject")),
        ("02", (AnswerKind.OPTION, "reject")),
        ("9" * 5_000, (AnswerKind.WORDS, "9" * 5_000)),
        ("٢", (AnswerKind.OPTION, "reject")),
        ("²", (AnswerKind.WORDS, "²")),
        ('edit {"a":' + "[" * 5_000, None),
    ],
    ids=["number", "zero", "endless", "arabic", "superscript", "deep"],
)
def test_any_words_mean_something(said, meaning):
    assert parse_reply(ASKED, said) == meaning


def asked(*options: tuple[str, str]) -> Question:
    return Question("q", "Which?", tuple(Option(each, label) for each, label in options))


@pytest.mark.parametrize(
    ("question", "said", "meaning"),
    [
        (asked(("yes", "No"), ("no", "Yes")), "yes", (AnswerKind.OPTION, "no")),
        (asked(("3", "3"), ("2", "2"), ("1", "1")), "1", (AnswerKind.OPTION, "1")),
        (asked(("a", "Send"), ("b", "Send")), "send", (AnswerKind.WORDS, "send")),
        (asked(("a", "Send"), ("b", "Send")), "2", (AnswerKind.OPTION, "b")),
        (asked(("approve", "Reject"), ("reject", "Approve")), "approve", (AnswerKind.OPTION, "reject")),
        (asked(("approve", "Ja"), ("APPROVE", "Nein")), "approve", (AnswerKind.WORDS, "approve")),
    ],
    ids=["crossed", "numbers", "same label", "same label by number", "crossed approval", "same id"],
)
def test_of_options_that_collide_what_people_see_decides(question, said, meaning):
    assert parse_reply(question, said) == meaning
