"""What was said above a message: read from the simulated Feishu, as its own SDK would read it."""

import re
import time

import pytest

from parley.channels.feishu.errors import ScopeMissing
from parley.channels.feishu.scopes import RECEIPTS
from parley.core.model.address import Conversation
from parley.core.model.earlier_messages import HistoryRequest, MessagePosition
from parley.core.model.errors import DeliveryRejected, RateLimited
from parley.simulator.feishu import FeishuUpload
from parley.simulator.feishu.api.message_list import SCOPES
from parley.simulator.feishu.api.messages import BOT_MENTIONS

DAY = 86_400.0
OF_RECEIPTS = {each.name for each in RECEIPTS}
NOW = round(time.time(), 3)


@pytest.fixture
def team(world):
    """A group with Ann and Bob in it."""
    bob = world.people.add_person("Bob")
    return world.people.add_group("Team", [world.ann.open_id, bob.open_id]), bob


def _position(world, message):
    return MessagePosition(message, world.sim.world.messages[message].at)


async def read(world, chat, before, topic=None, after="", **more):
    if after:
        more["after"] = _position(world, after)
    request = HistoryRequest(
        Conversation("feishu", chat, topic), _position(world, before), oldest=NOW - DAY, **more
    )
    return await world.channel.earlier_messages(request)


def ask(world, chat, at=NOW, reply_to=""):
    """A mention that nobody hears: only what stands above it matters here."""
    return world.sim.past.say(chat, world.ann.open_id, "@_user_1 help", at, reply_to)


def topic_of(world, message):
    return world.sim.world.messages[message].thread


async def test_the_channel_has_history(world):
    assert world.channel.capabilities.history


async def test_a_group_is_read_oldest_first_and_without_what_came_later(world, team):
    chat, bob = team
    past = world.sim.past
    past.say(chat, world.ann.open_id, "the build is broken", NOW - 100)
    past.say(chat, bob.open_id, "since when?", NOW - 90)
    mention = ask(world, chat, NOW - 80)
    past.say(chat, bob.open_id, "too late", NOW - 79.9)
    told = await read(world, chat, mention)
    assert [(each.sender.name, each.text) for each in told] == [
        ("Ann", "the build is broken"),
        ("Bob", "since when?"),
    ]
    assert [each.sent_at for each in told] == [pytest.approx(NOW - 100), pytest.approx(NOW - 90)]
    assert world.count("list") == 1
    assert not any(each.outsider or each.bot or each.ours for each in told)


async def test_a_topic_is_read_with_its_root_and_without_the_rest_of_the_group(world, team):
    chat, bob = team
    past = world.sim.past
    root = past.say(chat, bob.open_id, "the plan", NOW - 100)
    past.say(chat, bob.open_id, "elsewhere", NOW - 95)
    past.say(chat, world.ann.open_id, "looks good", NOW - 90, root)
    mention = ask(world, chat, NOW - 80, root)
    past.say(chat, bob.open_id, "too late", NOW - 70, root)
    told = await read(world, chat, mention, topic_of(world, root))
    assert [each.text for each in told] == ["the plan", "looks good"]


async def test_only_what_came_after_the_last_question_and_nothing_too_old_is_read(world, team):
    chat, bob = team
    past = world.sim.past
    past.say(chat, bob.open_id, "last week", NOW - 7 * DAY)
    past.say(chat, bob.open_id, "old", NOW - 100)
    asked = ask(world, chat, NOW - 90)
    past.say(chat, bob.open_id, "new", NOW - 90)
    mention = ask(world, chat)
    assert [each.text for each in await read(world, chat, mention)][:1] == ["old"]
    assert [each.text for each in await read(world, chat, mention, after=asked)] == ["new"]


async def test_what_a_topic_is_about_is_told_however_old_it_is(world, team):
    chat, bob = team
    root = world.sim.past.say(chat, bob.open_id, "last week", NOW - 7 * DAY)
    world.sim.past.say(chat, bob.open_id, "six days ago", NOW - 6 * DAY, root)
    asked = world.sim.past.say(chat, bob.open_id, "today", NOW - 60, root)
    mention = ask(world, chat, reply_to=root)
    told = await read(world, chat, mention, topic_of(world, root))
    assert [(each.text, each.opening) for each in told] == [("last week", True), ("today", False)]
    assert await read(world, chat, mention, topic_of(world, root), after=asked) == ()


async def test_of_ten_thousand_messages_the_newest_hundred_come_with_two_requests(world, team):
    chat, bob = team
    past = world.sim.past
    root = past.say(chat, bob.open_id, "begin", NOW - 11_000)
    past.fill(chat, [bob.open_id, world.ann.open_id], 10_000, NOW - 10_500, 1.0, root)
    told = await read(world, chat, ask(world, chat, reply_to=root), topic_of(world, root))
    assert [each.text for each in told] == [f"message {number}" for number in range(9_901, 10_000)]
    assert world.count("list") == 2


async def test_a_mention_that_begins_a_topic_brings_the_group_only_where_that_is_asked(world, team):
    chat, bob = team
    root = world.sim.past.say(chat, bob.open_id, "shall we?", NOW - 50)
    world.sim.past.say(chat, bob.open_id, "in a topic", NOW - 45, root)
    mention = ask(world, chat, NOW - 10)
    world.sim.past.say(chat, bob.open_id, "first in the new topic", NOW - 5, mention)
    topic = topic_of(world, mention)
    assert await read(world, chat, mention, topic) == ()
    assert [each.text for each in await read(world, chat, mention, topic, whole_chat=True)] == ["shall we?"]


async def test_bots_cards_files_and_our_own_messages_are_told(world, team):
    chat, bob = team
    bot, past = world.sim.past.add_bot("Grafana"), world.sim.past
    card = {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "content": "CPU is **high**"}]}}
    past.post(chat, bot, "interactive", card, NOW - 50)
    past.say(chat, world.sim.world.bot.open_id, "I am on it", NOW - 40)
    world.people.send_file(chat, bob.open_id, FeishuUpload("log.txt", b"x"))
    mention = ask(world, chat, time.time() + 1)
    alert, ours, file = await read(world, chat, mention)
    assert (alert.sender.name, alert.text, alert.bot, alert.ours) == (
        "Grafana",
        "CPU is **high**",
        True,
        False,
    )
    assert (ours.text, ours.bot, ours.ours) == ("I am on it", True, True)
    assert (file.text, file.files) == ("", ("log.txt",))


async def test_mentions_are_names_and_what_was_taken_back_is_gone(world, team):
    chat, _ = team
    world.say("@Bob, see <b>this</b>", chat)
    world.people.recall(world.say("a secret", chat))
    mention = ask(world, chat, time.time() + 1)
    assert [each.text for each in await read(world, chat, mention)] == ["@Bob, see <b>this</b>"]


async def test_names_that_do_not_come_along_are_looked_up_a_few_at_a_time(world, team):
    chat, _ = team
    world.sim.world.tells_names = False
    crowd = [world.people.add_person(f"P{number}") for number in range(14)]
    world.sim.past.fill(chat, [each.open_id for each in crowd], 14, NOW - 60, 1.0)
    mention = ask(world, chat)
    told = await read(world, chat, mention)
    assert [each.sender.name for each in told] == [""] * 4 + [f"P{number}" for number in range(4, 14)]
    assert [each.sender.id for each in told] == [each.open_id for each in crowd]


async def test_people_of_other_tenants_are_outsiders_unless_they_are_named(world, team):
    chat, _ = team
    eve = world.people.add_person("Eve", tenant="tenant_other")
    world.sim.past.say(chat, eve.open_id, "buy now", NOW - 5)
    mention = ask(world, chat)
    (told,) = await read(world, chat, mention)
    assert told.outsider
    world.channel._guests = frozenset({eve.open_id})
    (told,) = await read(world, chat, mention)
    assert not told.outsider


async def test_a_forwarded_conversation_above_a_mention_is_opened_by_the_second_request(world, team):
    chat, bob = team
    other = world.people.add_group("Other", [bob.open_id])
    said = [world.sim.past.say(other, bob.open_id, text, NOW - 500) for text in ("one", "two")]
    forward = world.sim.past.forward(chat, bob.open_id, said)
    mention = ask(world, chat, time.time() + 1)
    (told,) = await read(world, chat, mention)
    assert (told.id, told.text) == (forward, "[forwarded conversation]\nBob: one\nBob: two")
    assert (world.count("list"), world.count("get")) == (1, 1)


@pytest.mark.parametrize("scope", ["im:message:readonly", "im:message.group_msg"])
async def test_a_missing_scope_is_named(world, team, scope):
    chat, _ = team
    world.sim.world.denied.add(scope)
    with pytest.raises(ScopeMissing, match=scope):
        await read(world, chat, ask(world, chat))
    preflight = await world.channel.preflight()
    (lacking,) = preflight.lacking
    assert lacking[0] == "app_id"
    assert scope in lacking[1]
    assert "the messages above a mention" in lacking[1]


_OTHERS = {"im:message.group_at_msg:readonly", "speech_to_text:speech"} | OF_RECEIPTS


@pytest.mark.parametrize("scope", sorted(set(SCOPES) - _OTHERS))
async def test_each_missing_scope_is_named_with_what_needs_it(world, scope):
    world.sim.world.denied.add(scope)
    channel = world.another_channel(bots=["ou_7d8a6e6df7621556ce0d21922b676706"])
    ((key, text),) = (await channel.preflight()).lacking
    assert key == "app_id"
    assert re.match(f"the app lacks the scope {scope}, which it needs for [a-z]", text)


async def test_scopes_of_what_is_switched_off_are_not_missed(world):
    world.sim.world.denied |= {BOT_MENTIONS, "im:message.group_msg"}
    assert (await world.another_channel(context_messages="off").preflight()).lacking == ()


async def test_nothing_is_lacking_where_all_is_granted_or_nothing_is_known(world):
    assert (await world.channel.preflight()).lacking == ()
    world.faults.refuse_next(["scopes"], 212100, "app not install")
    assert (await world.channel.preflight()).lacking == ()


async def test_refusals_and_limits_are_channel_errors(world, team):
    chat, _ = team
    mention = ask(world, chat)
    world.faults.limit_next(["list"], 7)
    with pytest.raises(RateLimited) as limited:
        await read(world, chat, mention)
    assert limited.value.retry_after == 7
    world.people.remove_bot(chat)
    with pytest.raises(DeliveryRejected, match="230002"):
        await read(world, chat, mention)


async def test_rubbish_in_the_list_is_left_out(world, team):
    chat, bob = team
    world.sim.past.post(chat, bob.open_id, "post", {"content": [[{"tag": "at"}, 5], "x"]}, NOW - 9)
    world.sim.past.post(chat, bob.open_id, "system", {"template": "{from} joined"}, NOW - 8)
    world.sim.past.say(chat, bob.open_id, "fine", NOW - 7)
    mention = ask(world, chat)
    for body in (
        '{"code": 0, "data": {"items": {"a": 1}}}',
        '{"code": 0, "data": {"items": [7, {}, {"sender": []}]}}',
    ):
        world.faults.garble_next(["list"], body)
        assert await read(world, chat, mention) == ()
    assert [each.text for each in await read(world, chat, mention)] == ["fine"]
