"""What was pressed, shown above its answer as the plain text that it is."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from parley.core.inbound.batching import QueuedMessage
from parley.core.model.address import Conversation, User
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import QueueItem
from parley.core.suggestions.quote import quote_pressed


def queued(text: str, name: str = "Ann", *, private: bool = True, follows: str = "m1") -> QueuedMessage:
    place = Conversation("test", "chat")
    sender = User("test", "ann", name)
    message = InboundMessage("m2", place, sender, text, True, private, 0.0, follows=follows)
    return QueuedMessage(QueueItem(1, "turns/test", place.key, "", "", 0, 0, 0.0), message)


@pytest.mark.parametrize(
    "text",
    [
        "And tomorrow?",
        "*why* `not` __now__ ~~or~~ later",
        "[here](https://example.org) <b>bold</b> > quoted",
        "- one",
        "+ two",
        "# three",
        "=== ===",
        "---",
        "1. first",
        "2) second",
        "\\*",
        "为什么？",
        "C# and snake_case, 100% sure!",
    ],
)
@pytest.mark.parametrize("private", [True, False])
def test_a_common_mark_parser_reads_it_as_plain_text_in_a_quote(text: str, private: bool) -> None:
    shown = MarkdownIt("commonmark").render(quote_pressed([queued(text, private=private)]))
    whole = text if private else f"Ann: {text}"
    plain = whole.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert shown == f"<blockquote>\n<p>{plain}</p>\n</blockquote>\n"


def test_no_name_and_no_line_break_ends_the_quote() -> None:
    assert quote_pressed([queued("a\n\nb", "E\nve *", private=False)]) == "> E ve \\*: a b"


def test_what_was_written_is_not_quoted() -> None:
    assert quote_pressed([queued("hello", follows="")]) == ""
