"""Markdown on Slack, which reads it itself: every word, in messages that are taken, and nobody is called."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.kit.markdown.outline import outline
from parley.channels.slack.formatting import MAX_MESSAGE_CHARS, escape_mentions, split_messages
from tests.kit.samples.markdown_pieces import HUGE, calling, cooked, in_order, numbered, pieces

_CALL = re.compile(r"<(?:@|#[A-Z]|!(?:channel|here|everyone|group|subteam|date))", re.IGNORECASE)


@settings(deadline=None, max_examples=20)
@given(pieces, st.integers(1, 250))
def test_every_word_is_there_in_order_in_messages_of_the_platforms_length(parts, times):
    source = cooked(parts, times)
    shown = split_messages(escape_mentions(source))
    assert in_order(numbered(source), numbered("\n".join(shown)))
    assert all(part.strip() and len(part) <= MAX_MESSAGE_CHARS for part in shown)


@pytest.mark.parametrize("name", HUGE)
def test_what_brings_parsers_down_is_shown(name):
    assert all(
        part.strip() and len(part) <= MAX_MESSAGE_CHARS
        for part in split_messages(escape_mentions(HUGE[name]))
    )


@settings(deadline=None, max_examples=150)
@given(calling)
def test_nobody_is_called_by_an_answer(parts):
    for part in split_messages(escape_mentions(cooked(parts))):
        assert not _CALL.search(part)


@settings(deadline=None)
@given(calling, st.integers(0, 400))
def test_a_text_that_grows_grows_as_it_is_shown(parts, at):
    source = cooked(parts)
    assert escape_mentions(source).startswith(escape_mentions(source[:at], growing=True))
    assert escape_mentions(source, growing=True).startswith(escape_mentions(source[:at], growing=True))


@pytest.mark.parametrize(
    "text", ["<!DOCTYPE html>", "<!doctype html>", "<!-- a -->", "<![CDATA[x]]>", "<#if x>", "#include <a>"]
)
def test_what_calls_nobody_can_be_copied_as_it_is(text):
    assert escape_mentions(text) == text


def test_what_may_become_a_call_is_shown_once_it_is_known():
    assert escape_mentions("see <!", growing=True) == "see "
    assert escape_mentions("see <!", growing=False) == "see <\u2060!"


def test_code_that_is_cut_is_code_in_its_language_in_every_message():
    lines = [f"row_{number} = {number}" for number in range(3000)]
    parts = split_messages("Look:\n\n```python\n" + "\n".join(lines) + "\n```\n\nend")
    found = [outline(part).fences for part in parts]
    assert len(parts) > 3
    assert all(len(fences) == 1 and fences[0].info == "python" for fences in found)
    shown = "\n".join(part[fence.body : fence.close] for part, (fence,) in zip(parts, found, strict=True))
    assert [line for line in shown.split("\n") if line] == lines
