"""Questions on cards: asked, pressed, answered in time, and settled."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.channels.dingtalk import unanswered_presses
from parley.channels.dingtalk.inbound.card_callbacks import parse_card_callback
from parley.channels.dingtalk.outbound.reply_state import DingTalkReplyState
from parley.channels.dingtalk.question_layout import (
    HOME,
    LANGUAGE,
    MOST_BUTTONS,
    OPTION,
    PRIVATE,
    TOPIC,
    out_track_id,
    question_id_in,
    settled_parts,
    split_question,
)
from parley.channels.kit.fields import MALFORMED
from parley.core.model.errors import StoreUnavailable
from parley.core.model.questions import Click, Option, Question, QuestionKind
from tests.kit.machine import patience
from tests.kit.platforms.dingtalk_channel import KeepingInbox, Notes, listening, make_channel, snapshot

MAIL = Question(
    "turn-1",
    "",
    (Option("approve", "Approve"), Option("reject", "Reject")),
    kind=QuestionKind.APPROVAL,
    action="send_mail",
)


class DecidingInbox(KeepingInbox):
    """Keeps the presses too; `away` says how often the store is not there."""

    def __init__(self, away: int = 0, told: str = "Noted.") -> None:
        super().__init__()
        self.clicks: list[Click] = []
        self.away = away
        self.told = told

    async def decide(self, click):
        if self.away > 0:
            self.away -= 1
            raise StoreUnavailable("the disk is full")
        self.clicks.append(click)
        return self.told


def asking(world, **more):
    return make_channel(world.sim, question_template_id=world.sim.question_template, **more)


async def ask(world, channel, question=MAIL, group="", text="Shall it be sent?", turn="turn-1"):
    """Show a question; returns its notes and its message."""
    notes, place = Notes(), group or world.alice.id
    reply = channel.open_reply(world.target(group, turn=turn), notes)
    await reply.finish(snapshot(text, question=question))
    return notes, world.people.messages(place)[-1]


def settling(world, channel, notes, group=""):
    return channel.open_reply(world.target(group, notes.last), Notes())


async def test_a_card_has_the_words_the_buttons_and_then_what_was_decided(world):
    channel = asking(world)
    notes, card = await ask(world, channel)
    assert (card.kind, card.text, card.buttons) == ("card", "Shall it be sent?", ("Approve", "Reject"))
    await settling(world, channel, notes).settle(snapshot("Shall it be sent?\n\n✅ Alice: Approve"))
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.buttons) == ("Shall it be sent?\n\n✅ Alice: Approve", ())


async def test_a_press_tells_what_was_pressed_by_whom_and_where(world):
    channel, inbox = asking(world, groups="per_user"), DecidingInbox()
    bob = world.people.add_person("Bob")
    group = world.people.add_group("Team", [world.alice.id, bob.id])
    async with listening(channel, inbox):
        for turn, place in (("turn-1", ""), ("turn-2", group)):
            _, card = await ask(world, channel, group=place, turn=turn)
            who = bob.id if place else world.alice.id
            press = world.people.press(place or who, who, card.id, "Reject")
            await world.until(lambda press=press: world.people.answer_to(press))
            assert world.people.told(place or who, who) == ("Noted.",)
            assert world.people.failures(place or who, who) == 0
    first, second = inbox.clicks
    assert second.question == "turn-2"
    assert (first.question, first.option, first.private) == ("turn-1", "reject", True)
    assert (first.conversation.chat, first.sender.id) == (world.alice.id, world.alice.id)
    assert (second.conversation.chat, second.private, second.sender.name) == (group, False, "Bob")
    assert first.id != second.id


async def test_nobody_else_sees_what_who_pressed_is_told(world):
    channel, inbox = asking(world), DecidingInbox(told="❌ Alice: Reject\n```json\n{}\n```")
    bob = world.people.add_person("Bob")
    group = world.people.add_group("Team", [world.alice.id, bob.id])
    async with listening(channel, inbox):
        _, card = await ask(world, channel, group=group)
        press = world.people.press(group, bob.id, card.id, "Approve")
        await world.until(lambda: world.people.answer_to(press))
    assert world.people.told(group, bob.id) == ("❌ Alice: Reject",)
    assert world.people.told(group, world.alice.id) == ()


async def test_another_organisations_people_press_in_vain_unless_they_are_listed(world):
    group = world.people.add_group("Fair", [world.alice.id])
    guest, stranger = (world.people.add_person(name, external=True) for name in ("Guest", "Stranger"))
    channel, inbox = asking(world, allowed_users=("*", guest.id)), DecidingInbox()
    async with listening(channel, inbox):
        _, card = await ask(world, channel, group=group)
        for who in (stranger, guest):
            press = world.people.press(group, who.id, card.id, "Approve")
            await world.until(lambda press=press: world.people.answer_to(press))
    assert [click.sender.id for click in inbox.clicks] == [guest.id]
    assert world.people.told(group, stranger.id) == ()


async def test_an_organisation_that_is_not_ours_is_known_from_what_messages_tell(world):
    channel, inbox = asking(world), DecidingInbox()
    async with listening(channel, inbox):
        world.say("hello")
        await inbox.first()
        _, card = await ask(world, channel)
        account = world.sim.world.accounts[world.alice.id]
        account.corp = "ding-other"
        press = world.people.press(world.alice.id, world.alice.id, card.id, "Approve")
        await world.until(lambda: world.people.answer_to(press))
    assert inbox.clicks == []


async def test_a_name_that_nobody_tells_is_left_open(world):
    channel, inbox = asking(world), DecidingInbox()
    world.sim.faults.fail_next("user", 403)
    async with listening(channel, inbox):
        _, card = await ask(world, channel)
        for _ in range(2):
            press = world.people.press(world.alice.id, world.alice.id, card.id, "Approve")
            await world.until(lambda press=press: world.people.answer_to(press))
    assert [click.sender.name for click in inbox.clicks] == ["", ""]
    assert len(world.sim.calls("user")) == 1


@pytest.mark.parametrize(("away", "told"), [(2, "Noted."), (99, "刚才的操作未能保存，请稍后再点一次。")])
async def test_a_store_that_is_away_delays_a_press_and_then_it_is_to_be_made_again(world, away, told):
    channel, inbox = asking(world), DecidingInbox(away)
    target = world.target()
    asker = type(target.asker)(target.asker.channel, target.asker.id, language="zh-CN")
    async with listening(channel, inbox):
        reply = channel.open_reply(type(target)("turn-1", target.conversation, "msg1", asker, True), Notes())
        await reply.finish(snapshot("Shall it?", question=MAIL))
        (card,) = world.people.messages(world.alice.id)
        press = world.people.press(world.alice.id, world.alice.id, card.id, "Approve")
        await world.until(lambda: world.people.answer_to(press))
    assert world.people.told(world.alice.id, world.alice.id) == (told,)
    assert len(inbox.clicks) == (away == 2)


async def test_a_press_waits_for_no_message_that_waits_for_the_store(world):
    channel, inbox = asking(world), DecidingInbox()
    inbox.open.clear()
    async with listening(channel, inbox):
        world.say("first")
        await inbox.asked.wait()
        _, card = await ask(world, channel)
        press = world.people.press(world.alice.id, world.alice.id, card.id, "Approve")
        await world.until(lambda: world.people.answer_to(press))
        assert len(inbox.clicks) == 1
        inbox.open.set()
        await inbox.first()


async def test_a_refused_card_is_a_question_in_words(world):
    channel = make_channel(world.sim, question_template_id="never published.schema")
    notes, message = await ask(world, channel)
    assert message.kind == "sampleMarkdown"
    assert message.shown.split("\n")[-2:] == ["1. Approve", "2. Reject"]
    await settling(world, channel, notes).settle(snapshot("decided"))
    assert len(world.people.messages(world.alice.id)) == 1


async def test_options_without_room_for_buttons_are_words_on_the_card(world):
    options = tuple(Option(f"o{number}", f"Option {number}") for number in range(MOST_BUTTONS + 1))
    _, card = await ask(world, asking(world), Question("turn-1", "Which?", options))
    assert (card.kind, card.buttons) == ("card", ())
    assert f"{MOST_BUTTONS + 1}. Option {MOST_BUTTONS}" in card.shown


async def test_where_the_words_of_a_decision_are_refused_the_buttons_go_all_the_same(world):
    channel = asking(world)
    notes, _ = await ask(world, channel)
    world.sim.faults.fail_next("update", 400, "param.tooLong", "value is too long")
    await settling(world, channel, notes).settle(snapshot("Shall it be sent?\n\n✅ Alice: Approve"))
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.buttons) == ("Shall it be sent?", ())


async def test_a_card_changes_only_once_its_press_is_answered(world, monkeypatch):
    """DingTalk undoes what changes a card while it waits for the answer to a press."""
    monkeypatch.setattr(unanswered_presses, "LONGEST", patience(20))
    channel = asking(world)
    notes = [(await ask(world, channel, turn=f"turn-{number}"))[0] for number in (1, 2)]
    pressed, other = (
        channel.open_reply(world.target(handle=each.last, turn=f"turn-{number}"), Notes())
        for number, each in enumerate(notes, start=1)
    )
    with channel._presses.unanswered.answering("turn-1"):
        settled = asyncio.create_task(pressed.settle(snapshot("✅ Approve")))
        await other.settle(snapshot("✅ Approve"))
        assert [call.body["outTrackId"] for call in world.sim.calls("update")] == [out_track_id("turn-2", 0)]
    await settled
    assert [card.text for card in world.people.messages(world.alice.id)] == ["✅ Approve"] * 2


_SENT = {OPTION: "approve", PRIVATE: "yes"}


@pytest.mark.parametrize(
    "more",
    [
        {"content": {"cardPrivateData": {"params": _SENT, "actionIds": ["answer-p-approve-0"]}}},
        {"content": {"params": _SENT}},
        {"params": _SENT, "content": {}},
        {"content": {"cardPrivateData": {"params": {}, "actionIds": ["answer-p-approve-0"]}}},
        {"content": {"actionIds": ["other", "answer-p-approve-0"]}},
        {"content": {"actionId": "answer-p-approve-0"}},
        {"actionId": "answer-p-approve-0", "content": {}},
    ],
    ids=str,
)
def test_a_press_is_read_from_wherever_dingtalk_puts_it(more):
    data = {"outTrackId": out_track_id("turn-1", 0), "userId": "u1", "spaceId": "s1"}
    data |= more | {"content": json.dumps(more["content"])}
    pressed = parse_card_callback("frame1", data)
    assert pressed is not None
    assert (pressed.question, pressed.option, pressed.private) == ("turn-1", "approve", True)


async def test_without_a_template_nothing_is_heard_of_presses(world):
    inbox = DecidingInbox()
    assert not world.channel.capabilities.buttons
    async with listening(world.channel, inbox):
        (call,) = world.sim.calls("open")
        assert [each["topic"] for each in call.body["subscriptions"]] == ["/v1.0/im/bot/messages/get"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_PARAMS = st.fixed_dictionaries({}, optional=dict.fromkeys((OPTION, TOPIC, PRIVATE, HOME, LANGUAGE), _JSON))
_CONTENT = st.one_of(
    st.text(), _JSON.map(json.dumps), _PARAMS.map(lambda p: json.dumps({"cardPrivateData": {"params": p}}))
)


@given(
    st.fixed_dictionaries(
        {"outTrackId": st.just("parley-ask-t-1-0") | _JSON, "content": _CONTENT},
        optional=dict.fromkeys(("userId", "spaceId", "corpId", "type"), st.just("id1") | _JSON),
    )
)
def test_whatever_a_press_says_it_is_read_or_it_is_rubbish(data):
    try:
        pressed = parse_card_callback("frame1", data)
    except MALFORMED:
        return
    if pressed is not None:
        json.dumps([pressed.option, pressed.conversation.key, pressed.presser, pressed.home]).encode()
        assert pressed.conversation == type(pressed.conversation).parse(pressed.conversation.key)


def test_only_cards_of_questions_are_pressed():
    assert question_id_in(out_track_id("0b-2", 11)) == "0b-2"
    assert [question_id_in(track) for track in ("parley-0b-0", "", "other", "parley-ask-")] == [""] * 4


def test_what_was_decided_stands_in_the_last_of_the_cards_that_there_are():
    long = "word " * 180
    asked = split_question(long)
    assert len(asked) == 2
    same = settled_parts(f"{long}\n\nyes", len(asked))
    assert (same[0], same[1][-3:]) == (asked[0], "yes")
    assert settled_parts("short, yes", 3) == ("…", "…", "short, yes")
    assert len(settled_parts(long * 9, 2)) == 2


def test_a_handle_of_before_there_were_questions_is_read():
    noted = json.loads(DingTalkReplyState(cards=2, finished=1, parts=("a",)).dump())
    del noted["q"]
    assert DingTalkReplyState.load(json.dumps(noted)) == DingTalkReplyState(cards=2, finished=1, parts=("a",))
