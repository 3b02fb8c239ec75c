"""What words mean to a question, however odd they are."""

import pytest

from parley.core.hitl.policy import ReplyMeaning, parse_reply
from parley.core.model.questions import Option, Question

ASKED = Question("q", "Send it?", (Option("approve", "Approve"), Option("reject", "Reject")), may_edit=True)


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("2", (ReplyMeaning.OPTION, "reject")),
        ("02", (ReplyMeaning.OPTION, "reject")),
        ("9" * 5_000, (ReplyMeaning.WORDS, "9" * 5_000)),
        ("٢", (ReplyMeaning.OPTION, "reject")),
        ("²", (ReplyMeaning.WORDS, "²")),
        ('edit {"a":' + "[" * 5_000, (ReplyMeaning.UNREADABLE, '{"a":' + "[" * 5_000)),
    ],
    ids=["number", "zero", "endless", "arabic", "superscript", "deep"],
)
def test_any_words_mean_something(said, meaning):
    assert parse_reply(ASKED, said) == meaning
