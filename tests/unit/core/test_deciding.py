"""What words mean to a question, however odd they are."""

import pytest

from parley.core.deciding import Meaning, meaning_of
from parley.core.types import Option, Question

ASKED = Question("q", "Send it?", (Option("approve", "Approve"), Option("reject", "Reject")), may_edit=True)


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("2", (Meaning.OPTION, "reject")),
        ("02", (Meaning.OPTION, "reject")),
        ("9" * 5_000, (Meaning.WORDS, "9" * 5_000)),
        ("٢", (Meaning.OPTION, "reject")),
        ("²", (Meaning.WORDS, "²")),
        ('edit {"a":' + "[" * 5_000, (Meaning.UNREADABLE, '{"a":' + "[" * 5_000)),
    ],
    ids=["number", "zero", "endless", "arabic", "superscript", "deep"],
)
def test_any_words_mean_something(said, meaning):
    assert meaning_of(ASKED, said) == meaning
