"""People's marks, forwards and rich messages reach the agent as markdown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telegram import MessageEntity, Update

from parley.channels.telegram.inbound.marked_text import MarkedText
from parley.channels.telegram.inbound.message_words import FORWARDED
from parley.channels.telegram.inbound.rich_words import MOST_CHARS, rich_words
from parley.channels.telegram.inbound.update_parser import TelegramBotIdentity, parse_update
from parley.core.model.types import Json

ANN = {"id": 7, "is_bot": False, "first_name": "Ann"}
GROUP = {"id": -1001234, "type": "supergroup", "title": "Ops"}
ME = TelegramBotIdentity(99, "parley_bot")


def heard(**parts):
    """What is heard of a message in a private chat, unless `parts` say otherwise."""
    message = {"message_id": 9, "date": 1, "chat": {"id": 7, "type": "private"}, "from": ANN} | parts
    return parse_update(Update.de_json({"update_id": 1, "message": message}, None), ME, 1.0)


def mark(kind, text, words, **more):
    """A mark on the first place of some words, measured as Telegram does."""
    at = text.index(words)
    units = [len(part.encode("utf-16-le")) // 2 for part in (text[:at], words)]
    return {"type": kind, "offset": units[0], "length": units[1], **more}


LINKED = "summarise this please"


@pytest.mark.parametrize(
    ("text", "marks", "said"),
    [
        (
            LINKED,
            [("text_link", "this", {"url": "https://example.org/report.pdf"})],
            "summarise [this](https://example.org/report.pdf) please",
        ),
        ("a (b)", [("text_link", "b", {"url": "https://e.org/a(1)"})], "a ([b](<https://e.org/a(1)>))"),
        ("https://e.org", [("text_link", "https://e.org", {"url": "https://e.org/"})], "https://e.org"),
        ("x", [("text_link", "x", {"url": "https://e.org/ <script>"})], "x"),
        ("so bold of you", [("bold", "bold ", {})], "so **bold** of you"),
        ("😀 so 👍🏽 bold", [("bold", "bold", {})], "😀 so 👍🏽 **bold**"),
        ("one two", [("bold", "one two", {}), ("italic", "two", {})], "**one _two_**"),
        ("run ls -l now", [("code", "ls -l", {})], "run `ls -l` now"),
        ("run a`b now", [("code", "a`b", {})], "run ``a`b`` now"),
        ("see x = 1 ok", [("pre", "x = 1", {"language": "python"})], "see \n```python\nx = 1\n```\n ok"),
        ("```", [("pre", "```", {"language": "a b"})], "````\n```\n````"),
        ("he said\nyes\nno\nand left", [("blockquote", "yes\nno", {})], "he said\n> yes\n> no\nand left"),
        ("plain #tag", [("hashtag", "#tag", {}), ("unheard_of", "plain", {})], "plain #tag"),
        ("gone", [("strikethrough", "gone", {}), ("underline", "gone", {})], "~~gone~~"),
        ("/new bold", [("bot_command", "/new", {}), ("bold", "bold", {})], "/new bold"),
        ("/new", [("bold", "/new", {}), ("bot_command", "/new", {})], "/new"),
    ],
)
def test_marks_become_markdown(text, marks, said):
    entities = [mark(kind, text, words, **more) for kind, words, more in marks]
    assert heard(text=text, entities=entities).text == said
    file = {"file_id": "f", "file_unique_id": "u"}
    assert heard(caption=text, caption_entities=entities, document=file).text == said


def test_our_name_goes_and_the_marks_around_it_stay():
    text = "😀 @parley_bot read this now"
    entities = [
        mark("mention", text, "@parley_bot"),
        mark("bold", text, "@parley_bot"),
        mark("text_link", text, "read this", url="https://e.org"),
        mark("bold", text, "now"),
    ]
    message = heard(text=text, entities=entities, chat=GROUP)
    assert (message.text, message.addressed) == ("😀 [read this](https://e.org) **now**", True)


ORIGINS = [
    ({"type": "user", "date": 1, "sender_user": ANN | {"last_name": "Lee"}}, "Ann Lee"),
    ({"type": "hidden_user", "date": 1, "sender_user_name": "Some\nbody"}, "Some body"),
    ({"type": "chat", "date": 1, "sender_chat": GROUP}, "Ops"),
    (
        {
            "type": "channel",
            "date": 1,
            "message_id": 5,
            "chat": GROUP | {"type": "channel", "username": "ops"},
        },
        "Ops (https://t.me/ops/5)",
    ),
    (
        {"type": "channel", "date": 1, "message_id": 5, "chat": GROUP | {"id": -1001234, "type": "channel"}},
        "Ops (https://t.me/c/1234/5)",
    ),
]


@pytest.mark.parametrize(("origin", "who"), ORIGINS)
def test_a_forward_is_quoted_with_who_said_it_and_where(origin, who):
    link = mark("text_link", LINKED, "this", url="https://e.org")
    message = heard(text=LINKED, entities=[link], forward_origin=origin)
    assert message.text == FORWARDED
    assert message.quoted == f"Forwarded from {who}:\nsummarise [this](https://e.org) please"


def test_a_forwarded_command_is_none_and_calls_nobody():
    origin = ORIGINS[0][0]
    message = heard(text="/stop", entities=[mark("bot_command", "/stop", "/stop")], forward_origin=origin)
    assert message.text == FORWARDED
    text = "@parley_bot hi"
    entities = [mark("mention", text, "@parley_bot")]
    assert not heard(text=text, entities=entities, chat=GROUP, forward_origin=origin).addressed


def test_a_forwarded_file_comes_with_its_source():
    file = {"file_id": "f", "file_unique_id": "u"}
    message = heard(document=file, forward_origin=ORIGINS[0][0])
    assert (message.text, message.quoted) == (FORWARDED, "Forwarded from Ann Lee:")
    assert len(message.attachments) == 1


RICH = {
    "blocks": [
        {"type": "heading", "size": 2, "text": "Plan"},
        {"type": "paragraph", "text": ["see ", {"type": "url", "text": "this", "url": "https://e.org"}]},
        {
            "type": "list",
            "items": [
                {"label": "•", "blocks": [{"type": "paragraph", "text": {"type": "bold", "text": "one"}}]},
                {"label": "2.", "blocks": [{"type": "paragraph", "text": "two"}]},
            ],
        },
        {"type": "table", "cells": [[{"text": "a"}, {"text": "b|c"}], [{"text": "1"}, {}]]},
        {"type": "pre", "text": "x = 1", "language": "python"},
        {"type": "blockquote", "blocks": [{"type": "paragraph", "text": "yes\nno"}]},
        {"type": "photo", "photo": [], "caption": {"text": "a cat"}},
        {"type": "thinking", "text": "hm"},
    ]
}
READ = (
    "## Plan\n\nsee [this](https://e.org)\n\n- **one**\n2. two\n\n| a | b\\|c |\n|---|---|\n| 1 |  |\n\n"
    "```python\nx = 1\n```\n\n> yes\n> no\n\n[photo] a cat"
)


def test_a_rich_message_is_read_as_markdown():
    assert heard(rich_message=RICH).text == READ


def test_a_reply_to_a_rich_message_and_a_forward_of_one_quote_it():
    replied = {"message_id": 4, "date": 1, "chat": {"id": 7, "type": "private"}, "rich_message": RICH}
    assert heard(text="why?", reply_to_message=replied).quoted == READ
    assert heard(rich_message=RICH, forward_origin=ORIGINS[0][0]).quoted.endswith(READ)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner), st.dictionaries(st.sampled_from(["type", "text", "blocks", "items", "cells"]), inner)
    ),
    max_leaves=8,
)


@given(_JSON)
@settings(max_examples=100, deadline=None)
def test_whatever_a_rich_message_is_it_is_read_or_refused(given):
    try:
        assert isinstance(rich_words(given), str)
    except TypeError:
        assert not isinstance(given, dict)


def test_a_rich_message_is_read_as_deep_and_as_far_as_telegram_allows():
    deep: Json = {"type": "blockquote", "blocks": []}
    for _ in range(200):
        deep = {"type": "blockquote", "blocks": [deep]}
    assert (
        len(rich_words({"blocks": [deep, {"type": "paragraph", "text": "x" * 100_000}]})) <= MOST_CHARS + 100
    )


_SPANS = st.tuples(st.integers(-2, 40), st.integers(-2, 40))
_KINDS = st.sampled_from(["bold", "italic", "code", "pre", "blockquote", "text_link", "strikethrough", "x"])


@given(st.text(max_size=30), st.lists(st.tuples(_KINDS, _SPANS), max_size=8))
@settings(max_examples=200, deadline=None)
def test_marks_lose_no_words_wherever_they_stand(text, marks):
    marked = MarkedText(text)
    marked.mark(
        [MessageEntity(kind, start, length, url="https://e.org") for kind, (start, length) in marks], ()
    )
    whole, spans = marked.with_marks(((0, len(text.encode("utf-16-le", "surrogatepass")) // 2),))
    left = iter(whole)
    assert all(sign in left for sign in text if sign.isalnum() and sign.isascii())
    assert 0 <= spans[0][0] <= spans[0][1]


def test_many_marks_on_a_long_text_are_read_in_a_moment():
    text = "a\n" * 10_000
    entities = [{"type": "blockquote", "offset": n, "length": 19_000 - n} for n in range(5000)]
    assert heard(text=text, entities=entities).text.startswith("> a\n")
