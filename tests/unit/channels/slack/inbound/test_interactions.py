"""Questions with buttons: shown, pressed, changed in a form, settled; over both wires."""

import json
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from parley.core.model.errors import DeliveryRejected, RateLimited, StoreUnavailable
from parley.core.model.questions import EDIT, Option, Question, QuestionKind
from tests.kit.platforms.slack_channel import (
    KeepingInbox,
    Notes,
    finish_until_done,
    listening,
    snapshot,
    stored,
)
from tests.unit.channels.slack.inbound.test_events_api import posted

ARGUMENTS = '{"to": "production", "名": "值"}'
SURE = Question(
    "turn1-1",
    "",
    (Option("approve", "Approve"), Option("reject", "Reject")),
    may_edit=True,
    kind=QuestionKind.APPROVAL,
    action="deploy",
    arguments=ARGUMENTS,
)
FIELD = "Arguments (JSON)"


class DecidingInbox(KeepingInbox):
    """Keeps clicks, too, and says something to who pressed."""

    def __init__(self, told="Noted.", **more):
        super().__init__(**more)
        self.told = told

    async def decide(self, click):
        if self.refusals > 0:
            self.refusals -= 1
            raise StoreUnavailable("the disk is full")
        self.clicks.append(click)
        return self.told


async def asked(world, thread=None, question=SURE, text="Shall I?", **more):
    """A question that stands in a chat; gives its message and its handle."""
    notes = Notes()
    reply = world.channel().open_reply(world.target(thread), notes)
    await reply.finish(snapshot(text, question=question, final=True, **more))
    chat = (thread or (world.alice.dm,))[0]
    return next(m for m in reversed(world.people.messages(chat)) if m.buttons), notes.last


@asynccontextmanager
async def heard(world, wire, inbox):
    """A channel that listens over one of the wires."""
    if wire == "socket":
        async with listening(world.channel(), inbox) as task:
            yield
            assert not task.done()
    else:
        async with posted(world) as (channel, _), listening(channel, inbox) as task:
            yield
            assert not task.done()


both_wires = pytest.mark.parametrize("wire", ["socket", "http"])
both_places = pytest.mark.parametrize("in_thread", [True, False])


@both_places
async def test_the_options_are_buttons_under_the_text(world, in_thread):
    thread = world.thread() if in_thread else None
    message, _ = await asked(world, thread, text="**Shall** I run `deploy`?\n\n```json\n{}\n```")
    assert message.text == "Shall I run deploy?\n\n{}"
    assert message.code == ("deploy", "{}")
    assert message.buttons == ("Approve", "Reject", "Edit…")
    assert message.thread == (thread or ("", ""))[1]
    assert message.metadata["event_payload"] == {"turn": "turn-1", "part": 0}


async def test_a_question_without_options_has_no_buttons(world):
    reply = world.channel().open_reply(world.target(), Notes())
    await reply.finish(snapshot("What now?", question=replace(SURE, options=())))
    (message,) = [each for each in world.people.messages(world.alice.dm) if each.from_bot]
    assert (message.text, message.buttons) == ("What now?", ())


@both_wires
@both_places
async def test_a_press_is_a_click_and_is_answered_to_who_pressed(world, wire, in_thread):
    chat, topic = thread = world.thread() if in_thread else (world.alice.dm, None)
    message, _ = await asked(world, thread if in_thread else None)
    inbox = DecidingInbox(told="Noted **well** <!here>")
    async with heard(world, wire, inbox):
        world.people.press(chat, world.alice.id, message.ts, "Reject")
        await world.until(lambda: world.people.told(chat, world.alice.id, topic or ""))
        await world.until(lambda: world.people.unacknowledged() == 0)
    (click,) = inbox.clicks
    assert (click.question, click.option, click.text) == ("turn1-1", "reject", "")
    assert (click.sender.id, click.sender.name) == (world.alice.id, "Alice")
    assert (click.conversation.channel, click.conversation.chat) == ("slack", chat)
    assert click.conversation.topic == topic
    assert click.private is not in_thread
    (told,) = world.people.told(chat, world.alice.id, topic or "")
    assert told == "Noted well <\u2060!here>"
    assert not world.people.told(chat, world.sim.world.bot.id, topic or "")


async def test_a_press_that_comes_again_is_the_same_click_and_another_press_is_not(world):
    message, _ = await asked(world)
    inbox = DecidingInbox()
    async with listening(world.channel(), inbox):
        world.people.press(world.alice.dm, world.alice.id, message.ts, "Approve")
        await world.until(lambda: inbox.clicks and world.people.unacknowledged() == 0)
        world.people.redeliver(100)
        await world.until(lambda: len(world.people.told(world.alice.dm, world.alice.id)) == 2)
        world.people.press(world.alice.dm, world.alice.id, message.ts, "Approve")
        await world.until(lambda: len(world.people.told(world.alice.dm, world.alice.id)) == 3)
    first, again, other = inbox.clicks
    assert first == again
    assert other.id != first.id


async def test_a_press_waits_for_the_store(world):
    message, _ = await asked(world)
    inbox = DecidingInbox(refusals=1)
    async with listening(world.channel(), inbox):
        world.people.press(world.alice.dm, world.alice.id, message.ts, "Approve")
        await world.until(lambda: world.people.told(world.alice.dm, world.alice.id))
    assert [click.option for click in inbox.clicks] == ["approve"]


async def test_who_may_not_talk_is_not_heard_when_pressing(world):
    chat, root = thread = world.thread()
    guest = world.people.add_person("Gus", guest="several")
    world.people.join(chat, guest.id)
    message, _ = await asked(world, thread)
    inbox = DecidingInbox()
    async with listening(world.channel(), inbox):
        world.people.press(chat, guest.id, message.ts, "Approve")
        world.people.press(chat, world.alice.id, message.ts, "Reject")
        await world.until(lambda: world.people.told(chat, world.alice.id, root))
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert [click.sender.id for click in inbox.clicks] == [world.alice.id]
    assert world.people.told(chat, guest.id, root) == ()


async def test_who_cannot_be_told_has_decided_all_the_same(world):
    message, _ = await asked(world)
    inbox = DecidingInbox()
    world.sim.faults.fail_next("chat.postEphemeral", "user_not_in_channel")
    async with listening(world.channel(), inbox) as task:
        world.people.press(world.alice.dm, world.alice.id, message.ts, "Approve")
        await world.until(lambda: world.sim.calls("chat.postEphemeral"))
        world.people.press(world.alice.dm, world.alice.id, message.ts, "Reject")
        await world.until(lambda: world.people.told(world.alice.dm, world.alice.id))
        assert not task.done()
    assert [click.option for click in inbox.clicks] == ["approve", "reject"]


@both_wires
async def test_arguments_are_changed_in_a_form(world, wire):
    chat, root = thread = world.thread()
    message, _ = await asked(world, thread)
    inbox, alice = DecidingInbox(), world.alice.id
    async with heard(world, wire, inbox):
        world.people.press(chat, alice, message.ts, "Edit…")
        await world.until(lambda: world.people.modal(alice))
        form = world.people.modal(alice)
        assert (form.title, form.submit) == ("Change the arguments", "Approve")
        assert json.loads(form.fields[FIELD]) == json.loads(ARGUMENTS)
        world.people.submit(alice, **{FIELD: '["no object"]'})
        await world.until(lambda: world.people.modal(alice).errors)
        assert "JSON object" in world.people.modal(alice).errors[0]
        assert inbox.clicks == []
        world.people.submit(alice, **{FIELD: '{"to":\n"staging"}'})
        await world.until(lambda: world.people.told(chat, alice, root))
        assert world.people.modal(alice) is None
    (click,) = inbox.clicks
    assert (click.question, click.option, click.text) == ("turn1-1", EDIT, '{"to": "staging"}')
    assert (click.conversation.chat, click.conversation.topic, click.sender.id) == (chat, root, alice)


@pytest.mark.parametrize("written", ["", "no json", "[1]", "5", "null", '{"a":', "[" * 2900])
async def test_a_form_without_an_object_stays_open(world, written):
    message, _ = await asked(world)
    inbox, alice = DecidingInbox(), world.alice.id
    async with listening(world.channel(), inbox):
        world.people.press(world.alice.dm, alice, message.ts, "Edit…")
        await world.until(lambda: world.people.modal(alice))
        world.people.submit(alice, **{FIELD: written})
        await world.until(lambda: world.people.modal(alice).errors)
        assert "JSON object" in world.people.modal(alice).errors[0]
    assert inbox.clicks == []


async def test_the_form_speaks_the_language_of_who_is_asked(world):
    target = world.target()
    target = replace(target, asker=replace(target.asker, language="zh-CN"))
    await world.channel().open_reply(target, Notes()).finish(snapshot("要吗？", question=SURE))
    (message,) = [each for each in world.people.messages(world.alice.dm) if each.buttons]
    assert message.buttons[-1] == "修改…"
    inbox = DecidingInbox()
    async with listening(world.channel(), inbox):
        world.people.press(world.alice.dm, world.alice.id, message.ts, "修改…")
        await world.until(lambda: world.people.modal(world.alice.id))
    assert world.people.modal(world.alice.id).submit == "批准"


async def test_arguments_too_long_for_a_form_are_changed_in_words(world):
    long = replace(SURE, arguments=json.dumps({"text": "x" * 2000}))
    message, _ = await asked(world, question=long)
    assert message.buttons == ("Approve", "Reject")
    message, _ = await asked(world, question=replace(SURE, may_edit=False))
    assert message.buttons == ("Approve", "Reject")


async def test_labels_that_do_not_fit_stand_in_the_text(world):
    labels = ["a very long way " * 9, "short", " "]
    options = tuple(Option(f"o{number}", label) for number, label in enumerate(labels))
    message, _ = await asked(world, question=Question("turn1-1", "Which?", options))
    assert labels[0].strip() in message.text
    assert message.buttons[0].startswith("1. a very long way")
    assert message.buttons[1:] == ("short", "o2")


async def test_many_options_are_all_there(world):
    options = tuple(Option(f"o{number}", f"option {number}") for number in range(60))
    message, _ = await asked(world, question=Question("turn1-1", "Which?", options))
    assert message.buttons == tuple(option.label for option in options)


@pytest.mark.parametrize(("refusals", "buttons"), [(1, 3), (2, 0)])
async def test_refused_blocks_leave_the_words(world, refusals, buttons):
    world.sim.faults.fail_next("chat.postMessage", "invalid_blocks", times=refusals)
    reply = world.channel().open_reply(world.target(), Notes())
    await reply.finish(snapshot("so **bold** & <b> " * 100, question=SURE))
    (message,) = [each for each in world.people.messages(world.alice.dm) if each.from_bot]
    assert "so **bold** & <b>" in message.text
    assert len(message.buttons) == buttons
    # Where nothing can be pressed people must know what to write.
    assert all(label in (message.text if not buttons else message.buttons) for label in ("Approve", "Reject"))


@both_places
@pytest.mark.parametrize("length", [50, 1800, 2400, 2500, 4500])
async def test_a_long_question_has_its_buttons_under_the_last_part_and_is_settled_whole(
    world, in_thread, length
):
    thread = world.thread() if in_thread else None
    words = [f"w{number:03}" for number in range(length)]
    await asked(world, thread, text=" ".join(words))
    chat = (thread or (world.alice.dm,))[0]
    before = [m for m in world.people.messages(chat) if m.from_bot]
    assert [bool(m.buttons) for m in before] == [False] * (len(before) - 1) + [True]
    handle = (await asked(world, thread, text=" ".join(words)))[1]
    reply = world.channel().open_reply(world.target(thread, handle), Notes())
    await reply.settle(snapshot(" ".join([*words, *["more"] * 300, "done"])))
    after = [m for m in world.people.messages(chat) if m.from_bot][len(before) :]
    assert len(after) == len(before)
    assert not any(m.buttons for m in after)
    assert " ".join(m.text for m in after).split() == [*words, *["more"] * 300, "done"]


async def test_settled_text_that_cannot_fit_keeps_its_end(world):
    _, handle = await asked(world)
    reply = world.channel().open_reply(world.target(handle=handle), Notes())
    await reply.settle(snapshot("word " * 5000 + "decided"))
    (message,) = [m for m in world.people.messages(world.alice.dm) if m.from_bot]
    assert message.text.startswith("…")
    assert message.text.endswith("decided")


async def test_settling_changes_the_message_twice_the_same(world):
    thread = world.thread()
    message, handle = await asked(world, thread)
    for _ in range(2):
        await world.channel().open_reply(world.target(thread, handle), Notes()).settle(snapshot("✅ Alice"))
    (now,) = [m for m in world.people.messages(*thread) if m.from_bot]
    assert (now.ts, now.text, now.buttons) == (message.ts, "✅ Alice", ())


@both_places
async def test_a_question_that_somebody_deleted_is_not_brought_back(world, in_thread):
    thread = world.thread() if in_thread else None
    message, handle = await asked(world, thread)
    chat = (thread or (world.alice.dm,))[0]
    world.people.delete(chat, message.ts)
    await world.channel().open_reply(world.target(thread, handle), Notes()).settle(snapshot("✅ Alice"))
    assert [m for m in world.people.messages(chat) if m.from_bot] == []


async def test_a_question_that_never_stood_anywhere_is_settled_nowhere(world):
    thread = world.thread()
    # Another answer grows in the same thread.
    other = world.channel().open_reply(world.target(thread, turn="turn-2"), Notes())
    await other.show(snapshot("half"))
    for handle in ("", '{"m": [], "s": "", "o": true, "c": [], "f": [], "u": "", "d": false}'):
        await world.channel().open_reply(world.target(thread, handle), Notes()).settle(snapshot("✅ Alice"))
    assert world.ours(thread) == ["half"]


async def test_a_question_whose_sending_was_in_doubt_is_found_and_settled(world):
    thread = world.thread()
    world.sim.faults.reset_next("chat.postMessage", "after")
    notes = Notes()
    reply = world.channel().open_reply(world.target(thread), notes)
    with pytest.raises(Exception, match="no answer"):
        await reply.finish(snapshot("Shall I?", question=SURE))
    await world.channel().open_reply(world.target(thread, notes.last), Notes()).settle(snapshot("✅ Alice"))
    (now,) = [m for m in world.people.messages(*thread) if m.from_bot]
    assert (now.text, now.buttons) == ("✅ Alice", ())


async def test_settling_tells_what_went_wrong(world):
    _, handle = await asked(world)
    reply = world.channel().open_reply(world.target(handle=handle), Notes())
    world.sim.faults.fail_next("chat.update", "ratelimited", 429, retry_after=7)
    with pytest.raises(RateLimited):
        await reply.settle(snapshot("done"))
    world.people.close(world.alice.dm, "channel_not_found")
    with pytest.raises(DeliveryRejected):
        await reply.settle(snapshot("done"))


@both_places
@pytest.mark.parametrize("how", ["before", "after"])
async def test_whatever_is_lost_the_question_stands_there_once(world, tmp_path, in_thread, how):
    thread = world.thread() if in_thread else None
    world.sim.faults.reset_next("chat.postMessage", how)
    file = stored(tmp_path, "arguments.json", b"{}")
    reply = world.channel().open_reply(world.target(thread), Notes())
    await finish_until_done(reply, snapshot("Shall I?", question=SURE, attachments=(file,)))
    chat = (thread or (world.alice.dm,))[0]
    question, files = [m for m in world.people.messages(chat) if m.from_bot]
    assert (question.text, len(question.buttons), files.files) == ("Shall I?", 3, ("arguments.json",))


STRANGE: list[dict[str, Any]] = [
    {"actions": []},
    {"actions": [None]},
    {"actions": [{"action_id": "parley_answer:1"}]},
    {"actions": [{"action_id": "parley_answer:1", "value": "no json", "action_ts": "1.5"}]},
    {"actions": [{"action_id": "parley_answer:1", "value": "[1]", "action_ts": "1.5"}]},
    {"actions": [{"action_id": "parley_answer:1", "value": "5", "action_ts": "1.5"}]},
    {"actions": [{"action_id": "parley_change", "value": '["q", "en"]', "action_ts": "1.5"}]},
    {"actions": [{"action_id": "of another", "value": "x", "action_ts": "1.5"}]},
    {"container": None},
    {"container": {"channel_id": 5}},
    {"user": None},
    {"user": {"id": ["U1"]}},
    {"message": "a text"},
]


@both_wires
async def test_strange_presses_and_forms_are_survived(world, wire):
    message, _ = await asked(world)
    sound = {
        "type": "block_actions",
        "user": {"id": world.alice.id},
        "container": {"channel_id": world.alice.dm, "message_ts": message.ts},
        "message": {},
        "trigger_id": "9.9",
        "actions": [{"action_id": "parley_answer:1", "value": '["turn1-1", "approve"]', "action_ts": "1.5"}],
    }
    forms = [
        {},
        {"id": 5},
        {"id": "V1", "callback_id": "parley_form", "state": {"values": {"arguments": []}}},
    ]
    inbox = DecidingInbox()
    async with heard(world, wire, inbox):
        for strange in STRANGE[:-1]:
            world.people.inject(sound | strange, "interactive")
        for view in forms:
            world.people.inject(
                {"type": "view_submission", "user": {"id": "U1"}, "view": view}, "interactive"
            )
        await world.until(lambda: world.people.unacknowledged() == 0)
        assert inbox.clicks == []
        world.people.inject(sound | STRANGE[-1], "interactive")
        await world.until(lambda: inbox.clicks)
    assert inbox.clicks[0].option == "approve"
