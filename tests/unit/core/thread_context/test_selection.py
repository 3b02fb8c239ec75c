"""Whose messages are brought, and from where on."""

from dataclasses import replace

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest, MessagePosition
from parley.core.model.options import ChannelOptions, ChatOptions, ContextOptions, ContextPeople, ContextScope
from parley.core.model.types import SessionSettings
from parley.core.thread_context.selection import ContextRules, select_messages

REQUEST = HistoryRequest(
    Conversation("test", "team"), MessagePosition("now", 100.0), MessagePosition("last", 50.0), 10.0, 5
)
OPTIONS = ChannelOptions(SessionSettings("agent"), allowed_users=frozenset({"ann", "bob"}))
WANTED = ContextOptions(ContextScope.THREAD)
RULES = ContextRules(OPTIONS, WANTED, (), ("known",))


def said(name: str, at: float = 60.0, **more: object) -> EarlierMessage:
    values: dict[str, object] = {
        "id": name,
        "sender": User("test", "bob", "Bob"),
        "text": name,
        "sent_at": at,
    }
    return EarlierMessage(**(values | more))  # type: ignore[arg-type]


def chosen(*messages: EarlierMessage, rules: ContextRules = RULES) -> list[str]:
    return [each.id for each in select_messages(messages, REQUEST, rules)]


def test_what_lies_between_is_brought_in_order_and_once() -> None:
    assert chosen(said("a", 50.0), said("b", 99.0), said("a", 50.0), said("c", 100.0)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "message",
    [
        said("too early", 49.0),
        said("too late", 101.0),
        said("no time", float("nan")),
        said("last", 50.0),
        said("now", 100.0),
        said("known"),
        said("ours", ours=True),
        said("/status"),
        said("empty", text="  "),
        said("stranger", sender=User("test", "eve", "Eve")),
        said("guest", outsider=True),
        said("everyone", sender=User("test", "*", "Everyone")),
    ],
    ids=lambda message: message.id,
)
def test_what_is_not_brought(message: EarlierMessage) -> None:
    assert chosen(message) == []


def test_nothing_older_than_the_age_is_brought_whatever_was_asked_last() -> None:
    first = replace(REQUEST, after=MessagePosition())
    found = select_messages([said("old", 9.0), said("young", 10.0)], first, RULES)
    assert [each.id for each in found] == ["young"]


def test_what_a_topic_began_with_is_brought_however_old_it_is_but_once() -> None:
    begin = said("begin", 1.0, opening=True)
    first = replace(REQUEST, after=MessagePosition())
    found = select_messages([begin, said("old", 9.0), said("young", 10.0)], first, RULES)
    assert [each.id for each in found] == ["begin", "young"]
    assert chosen(begin) == []


def test_people_who_may_not_talk_are_brought_where_the_operator_says_so() -> None:
    everyone = replace(RULES, wanted=replace(WANTED, people=ContextPeople.EVERYONE))
    eve = User("test", "eve", "Eve")
    assert chosen(said("eve", sender=eve), said("guest", outsider=True), rules=everyone) == ["eve", "guest"]


def test_a_chats_own_list_and_pairing_say_who_may_talk() -> None:
    own = replace(OPTIONS, chats={"team": ChatOptions(allowed_users=frozenset({"eve"}))})
    eve = User("test", "eve", "Eve")
    assert chosen(said("eve", sender=eve), said("bob"), rules=replace(RULES, options=own)) == ["eve"]
    paired = replace(RULES, options=replace(OPTIONS, pairing=True), paired={"test:eve"})
    assert chosen(said("eve", sender=eve), rules=paired) == ["eve"]


def test_bots_are_brought_by_rule() -> None:
    bot = said("alert", bot=True, sender=User("test", "B1", "Alerts"))
    assert chosen(bot) == ["alert"]
    assert chosen(bot, rules=replace(RULES, wanted=replace(WANTED, bots=False))) == []


def test_files_alone_are_a_message_and_the_newest_count() -> None:
    assert chosen(said("photo", text="", files=("a.png",))) == ["photo"]
    assert chosen(*(said(str(number), 60.0 + number) for number in range(8))) == list("34567")


def test_of_the_same_second_the_number_of_an_id_tells() -> None:
    request = replace(REQUEST, after=MessagePosition("c:7", 50.0), before=MessagePosition("c:12", 50.0))
    messages = [said(f"c:{number}", 50.0) for number in (6, 8, 11, 13)]
    assert [each.id for each in select_messages(messages, request, RULES)] == ["c:8", "c:11"]
    assert [each.id for each in select_messages([said("c:9" * 99, 50.0)], request, RULES)]
