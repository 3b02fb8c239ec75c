"""Bots as speakers, and rules that need no mention."""

from parley.core.model.address import User
from parley.core.model.bots import BotLimits, BotTurns, TriggerRule, is_welcome

PAGER = User("slack", "B1", "Pager", bot="A1")


def test_a_bot_is_welcome_by_its_own_id_or_that_of_its_app() -> None:
    for names in ({"B1"}, {"A1"}, {"*"}, {"B0", "A1"}):
        assert is_welcome(frozenset(names), PAGER)
    assert not is_welcome(frozenset({"B2", "pager", "Pager", ""}), PAGER)
    assert not is_welcome(frozenset({"*", "U1"}), User("slack", "U1"))


def test_turns_are_few_in_a_row_and_a_minute() -> None:
    limits, turns = BotLimits(per_minute=3, in_a_row=2), BotTurns()
    assert turns.allows(limits, 100.0)
    turns = turns.counted(100.0).counted(101.0)
    assert not turns.allows(limits, 500.0)
    turns = turns.interrupted()
    assert turns.allows(limits, 102.0)
    turns = turns.counted(102.0).interrupted()
    assert not turns.allows(limits, 103.0)
    assert turns.allows(limits, 161.5)
    assert turns.counted(200.0).at == (200.0,)
    assert BotTurns().interrupted() is not None


def test_a_rule_names_words_authors_or_both() -> None:
    words = TriggerRule(lambda text: "sev1" in text)
    assert words.applies("a sev1 alert", User("slack", "U1"))
    assert not words.applies("fine", PAGER)
    for author in ("B1", "A1"):
        rule = TriggerRule(lambda text: "sev1" in text, frozenset({author}))
        assert rule.applies("sev1", PAGER)
        assert not rule.applies("sev1", User("slack", "U1"))
    assert not TriggerRule(lambda text: True, frozenset({"U9"})).applies("", User("slack", "U1"))
