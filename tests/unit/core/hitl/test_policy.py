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
