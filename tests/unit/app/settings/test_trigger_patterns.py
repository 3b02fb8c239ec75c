"""Patterns of operators, matched by RE2."""

import pytest

from parley.app.settings.core_options import core_options
from parley.core.model.address import Conversation, User
from tests.kit.settings_reading import mistakes, settings

pytest.importorskip("re2", reason="google-re2 is the extra `rules`")

TOKENS = "bot_token: xoxb-1, app_token: xapp-1"
PAGER = User("slack", "B1", bot="A1")


def lines(rules: str) -> list[str]:
    return mistakes(f"channels: {{slack: {{{TOKENS}, triggers: {rules}}}}}")


def test_rules_are_patterns_and_authors() -> None:
    rules = "[{text: '(?i)sev[12]', authors: [A1]}, {authors: B9}]"
    chats = "chats: {C1: {triggers: [], bots: []}}"
    loaded = settings(f"channels: {{slack: {{{TOKENS}, bots: [A1], triggers: {rules}, {chats}}}}}")
    options = core_options(loaded).channels["slack"]
    first, second = options.triggers
    assert [first.applies(text, PAGER) for text in ("a SEV1 alert", "sev3", "\ud800 sev2")] == [
        True,
        False,
        True,
    ]
    assert second.applies("anything", User("slack", "B9", bot="A9"))
    chat = options.at(Conversation("slack", "C1", "5"))
    assert not chat.triggers
    assert not chat.bots
    assert options.bots == {"A1"}


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(.*)*x", "a*a*a*a*a*b"])
def test_no_pattern_takes_more_time_than_the_text_is_long(pattern: str) -> None:
    loaded = settings(f"channels: {{slack: {{{TOKENS}, triggers: [{{text: '{pattern}'}}]}}}}")
    (rule,) = core_options(loaded).channels["slack"].triggers
    rule.applies("a" * 20_000 + "!", PAGER)  # Python's own engine would not come back


def test_what_re2_does_not_take_is_named_with_its_place() -> None:
    place = "config.yaml:1: channels.slack.triggers[0].text: is no pattern of RE2: "
    assert lines(r"[{text: '(a)\1'}]")[0].startswith(place)
    assert lines("[{text: '(?=a)'}]")[0].startswith(place)
    assert lines("[{text: '['}]")[0].startswith(place)
    assert "has more than 1,000 characters" in lines(f"[{{text: '{'a' * 1001}'}}]")[0]
    assert 'needs text (a pattern), authors (ids), or both, such as {text: "(?i)sev1"}' in lines("[{}]")[0]
