"""What was said above a message: read from the simulated Slack, as its own clients would read it."""

import time

import pytest

from parley.channels.slack.errors import Unsupported
from parley.channels.slack.inbound.earlier_messages import MOST_IN_PAGE, newest_start
from parley.core.model.address import Conversation
from parley.core.model.earlier_messages import HistoryRequest, MessagePosition
from parley.core.model.errors import DeliveryRejected, RateLimited
from parley.core.model.types import Json, JsonObject
from parley.simulator.slack import SlackUpload

DAY = 86_400.0
NOW = time.time()


def _position(chat, ts):
    return MessagePosition(f"{chat}:{ts}", float(ts))


@pytest.fixture
def team(world):
    """A channel with Alice and Bob in it."""
    bob = world.people.add_person("Bob")
    return world.people.add_channel("team", [world.alice.id, bob.id]), bob


async def read(world, chat, before, topic=None, channel=None, **more):
    request = HistoryRequest(
        Conversation("slack", chat, topic), _position(chat, before), oldest=NOW - DAY, **more
    )
    return await (channel or world.channel()).earlier_messages(request)


def _ask(world, chat, thread="", at=NOW):
    """A mention that nobody hears: only what stands above it matters here."""
    return world.sim.past.say(chat, world.alice.id, "@parley help", at, thread)


async def test_the_channel_has_history(world):
    assert world.channel().capabilities.history


async def test_a_thread_is_read_with_its_root_and_without_what_came_later(world, team):
    chat, bob = team
    past = world.sim.past
    root = past.say(chat, world.alice.id, "the build is broken", NOW - 100)
    past.say(chat, bob.id, "since when? @alice", NOW - 90, root)
    past.say(chat, bob.id, "elsewhere", NOW - 85)
    mention = _ask(world, chat, root, NOW - 80)
    past.say(chat, bob.id, "too late", NOW - 70, root)
    told = await read(world, chat, mention, root)
    assert [(each.sender.name, each.text) for each in told] == [
        ("Alice", "the build is broken"),
        ("Bob", "since when? @alice"),
    ]
    assert told[0].id == f"{chat}:{root}"
    assert told[0].sent_at == pytest.approx(NOW - 100, abs=1e-3)
    assert len(world.sim.calls("conversations.replies")) == 1


async def test_only_what_came_after_the_last_question_is_read(world, team):
    chat, bob = team
    past = world.sim.past
    root = past.say(chat, bob.id, "old", NOW - 100)
    asked = _ask(world, chat, root, NOW - 90)
    past.say(chat, bob.id, "new", NOW - 80, root)
    told = await read(world, chat, _ask(world, chat, root), root, after=_position(chat, asked))
    assert [each.text for each in told] == ["new"]


async def test_what_is_too_old_is_left_out_but_for_what_the_thread_is_about(world, team):
    chat, bob = team
    root = world.sim.past.say(chat, bob.id, "last week", NOW - 7 * DAY)
    world.sim.past.say(chat, bob.id, "six days ago", NOW - 6 * DAY, root)
    asked = world.sim.past.say(chat, bob.id, "today", NOW - 60, root)
    mention = _ask(world, chat, root)
    told = await read(world, chat, mention, root)
    assert [(each.text, each.opening) for each in told] == [("last week", True), ("today", False)]
    assert len(world.sim.calls("conversations.replies")) == 2
    assert await read(world, chat, mention, root, after=_position(chat, asked)) == ()
    assert len(world.sim.calls("conversations.replies")) == 3


async def test_a_mention_that_begins_a_thread_costs_nothing_and_brings_the_chat_where_asked(world, team):
    chat, bob = team
    root = world.sim.past.say(chat, bob.id, "shall we?", NOW - 50)
    world.sim.past.say(chat, bob.id, "in a thread", NOW - 45, root)
    world.sim.past.say(chat, bob.id, "shown in both", NOW - 40, root, subtype="thread_broadcast")
    mention = _ask(world, chat)
    assert await read(world, chat, mention, mention) == ()
    assert not [call.method for call in world.sim.calls() if call.method.startswith("conversations.")]
    told = await read(world, chat, mention, mention, whole_chat=True)
    assert [each.text for each in told] == ["shall we?"]


async def test_of_ten_thousand_messages_the_newest_come_with_two_requests(world, team):
    chat, bob = team
    root = world.sim.past.say(chat, bob.id, "begin", NOW - 11_000)
    world.sim.past.fill(chat, [bob.id, world.alice.id], 10_000, NOW - 10_500, 1.0, root)
    told = await read(world, chat, _ask(world, chat, root, NOW - 400), root)
    assert [each.text for each in told] == [f"message {number}" for number in range(9_900, 10_000)]
    assert len(world.sim.calls("conversations.replies")) == 2


async def test_of_a_long_chat_the_newest_come_with_one_request(world, team):
    chat, bob = team
    world.sim.past.fill(chat, [bob.id], 3_000, NOW - 3_500, 1.0)
    mention = _ask(world, chat)
    told = await read(world, chat, mention, mention, whole_chat=True, most=50)
    assert [each.text for each in told] == [f"message {number}" for number in range(2_950, 3_000)]
    assert len(world.sim.calls("conversations.history")) == 1


async def test_after_a_pause_a_long_thread_brings_what_is_known_of_it(world, team):
    chat, bob = team
    root = world.sim.past.say(chat, bob.id, "begin", NOW - 9_000)
    world.sim.past.fill(chat, [bob.id], 2_500, NOW - 8_999, 0.1, root)
    told = await read(world, chat, _ask(world, chat, root), root)
    assert len(told) == 100
    assert len(world.sim.calls("conversations.replies")) == 2


async def test_a_thread_that_is_little_more_than_a_page_is_read_whole(world, team):
    chat, bob = team
    root = world.sim.past.say(chat, bob.id, "begin", NOW - 9_000)
    world.sim.past.fill(chat, [bob.id], 1_500, NOW - 8_999, 0.1, root)
    told = await read(world, chat, _ask(world, chat, root), root, most=3)
    assert [each.text for each in told] == ["message 1497", "message 1498", "message 1499"]


def test_the_second_request_begins_between_the_first_page_and_the_message():
    def page(*times: float) -> list[JsonObject]:
        return [{"ts": f"{each:.6f}"} for each in times]

    even = page(*range(1000, 1999))
    start = float(newest_start(even, 11_000.0, 100))
    assert 11_000 - MOST_IN_PAGE < start < 11_000 - 100
    nothing: list[JsonObject] = [{}, {"ts": "x", "reply_count": "y"}]
    for strange in (page(5.0), page(5.0, 5.0), nothing):
        assert 0.0 <= float(newest_start(strange, 10.0, 100)) <= 10.0


async def test_bots_are_named_and_their_attachments_are_words(world, team):
    chat, _ = team
    past = world.sim.past
    root = past.webhook(
        chat,
        "Grafana",
        NOW - 60,
        text="",
        attachments=[
            {
                "pretext": "[FIRING]",
                "title": "CPU is high",
                "title_link": "https://g.example/d/1?a=1&amp;b=2",
                "text": "host <https://h.example|web-1> &gt; 90 %",
                "fields": [{"title": "Severity", "value": "critical"}, {"value": "prod"}],
                "footer": "Grafana v11",
            }
        ],
    )
    bot = world.people.add_bot("Deployer")
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "*v2* of <@U000002>'s app"}}
    button = {"type": "actions", "elements": [{"type": "button", "text": {"text": "Roll back"}}]}
    past.say(chat, bot, "Deployed v2", NOW - 50, root, blocks=[section, {"type": "divider"}, button])
    alert, deployed = await read(world, chat, _ask(world, chat, root), root)
    assert (alert.sender.name, alert.bot, alert.ours, alert.outsider) == ("Grafana", True, False, False)
    assert alert.text.splitlines() == [
        "[FIRING]",
        "[CPU is high](https://g.example/d/1?a=1&b=2)",
        "host [web-1](https://h.example) > 90 %",
        "Severity: critical",
        "prod",
    ]
    assert (deployed.sender.name, deployed.text) == ("Deployer", "*v2* of @Alice's app")


async def test_our_own_messages_are_marked_and_files_are_named(world, team):
    chat, bob = team
    root = world.people.send_files(
        chat, bob.id, [SlackUpload("report.pdf", b"x"), SlackUpload("../log.txt", b"y")], "look"
    )
    world.sim.past.say(chat, world.sim.world.bot.id, "I looked", NOW - 1, root)
    mention = world.people.say(chat, bob.id, "@parley again", root)
    ours, files = sorted(await read(world, chat, mention, root), key=lambda each: each.sent_at)
    assert (ours.ours, ours.bot, ours.text) == (True, True, "I looked")
    assert (files.text, files.files) == ("look", ("report.pdf", "log.txt"))


async def test_edits_read_as_they_are_now_and_what_was_deleted_is_gone(world, team):
    chat, bob = team
    root = world.people.say(chat, bob.id, "first")
    said = world.people.say(chat, bob.id, "teh plan", root)
    gone = world.people.say(chat, bob.id, "secret", root)
    world.people.edit(chat, said, "the plan")
    world.people.delete(chat, gone)
    world.people.delete(chat, root)
    world.sim.past.say(chat, bob.id, "Bob has joined", NOW, root, subtype="channel_join")
    mention = world.people.say(chat, bob.id, "@parley", root)
    assert [each.text for each in await read(world, chat, mention, root)] == ["the plan"]


async def test_forwarded_messages_are_told_and_previews_of_links_are_not(world, team):
    chat, bob = team
    file = {"id": "F1", "name": "plan.pdf", "mimetype": "application/pdf", "size": 3}
    said = {"text": "we ship on <!date^1^x|Friday>", "files": [file]}
    share = {"is_share": True, "author_name": "Carol"} | said
    preview = {"from_url": "https://x.example", "title": "Buy now", "text": "click"}
    world.sim.past.say(chat, bob.id, "", NOW - 9, attachments=[share, preview])
    mention = _ask(world, chat)
    (told,) = await read(world, chat, mention, mention, whole_chat=True)
    assert (told.text, told.files) == ("[forwarded] Carol: we ship on Friday", ("plan.pdf",))


async def test_guests_and_strangers_are_outsiders_unless_they_are_named(world, team):
    chat, bob = team
    guest = world.people.add_person("Gus", guest="one")
    stranger = world.people.add_person("Eve", team="T0OTHER")
    for number, person in enumerate((guest, stranger, bob)):
        world.sim.past.say(chat, person.id, person.name, NOW - 50 + number)
    mention = _ask(world, chat)
    told = await read(world, chat, mention, mention, whole_chat=True)
    assert [(each.text, each.outsider) for each in told] == [("Gus", True), ("Eve", True), ("Bob", False)]
    for allowed in (["*", guest.id, stranger.id], [bob.id]):
        channel = world.channel(allowed_users=allowed)
        told = await read(world, chat, mention, mention, whole_chat=True, channel=channel)
        assert not any(each.outsider for each in told)


async def test_people_of_whom_nothing_is_known_have_no_name_and_stay_outside(world, team):
    chat, bob = team
    world.sim.past.say(chat, bob.id, "hi", NOW - 5)
    world.sim.faults.fail_next("users.info", "internal_error", times=5)
    mention = _ask(world, chat)
    (told,) = await read(world, chat, mention, mention, whole_chat=True)
    assert (told.sender.id, told.sender.name, told.outsider) == (bob.id, "", True)


async def test_no_more_people_are_asked_for_than_twenty_and_the_newest_first(world, team):
    chat, _ = team
    crowd = [world.people.add_person(f"P{number}") for number in range(30)]
    world.sim.past.fill(chat, [each.id for each in crowd], 30, NOW - 60, 1.0)
    mention = _ask(world, chat)
    channel = world.channel()
    told = await read(world, chat, mention, mention, whole_chat=True, channel=channel)
    assert [bool(each.sender.name) for each in told] == [False] * 10 + [True] * 20
    told = await read(world, chat, mention, mention, whole_chat=True, channel=channel)
    assert all(each.sender.name for each in told)
    assert len(world.sim.calls("users.info")) == 30


@pytest.mark.parametrize(
    ("kind", "scope"),
    [("channel", "channels:history"), ("group", "groups:history"), ("mpim", "mpim:history")],
)
async def test_a_missing_scope_is_named(world, kind, scope):
    chat = world.people.add_channel("team", [world.alice.id], kind)
    world.people.restrict_scopes(scope)
    mention = _ask(world, chat)
    with pytest.raises(Unsupported, match=scope):
        await read(world, chat, mention, mention, whole_chat=True)


async def test_refusals_and_limits_are_channel_errors(world, team):
    chat, bob = team
    root = world.sim.past.say(chat, bob.id, "hi", NOW - 5)
    mention = _ask(world, chat, root)
    world.sim.faults.fail_next("conversations.replies", "ratelimited", 429, 7)
    with pytest.raises(RateLimited) as limited:
        await read(world, chat, mention, root)
    assert limited.value.retry_after == 7
    world.people.close(chat, "not_in_channel")
    with pytest.raises(DeliveryRejected, match="not_in_channel"):
        await read(world, chat, mention, root)


async def test_an_app_that_is_sold_outside_the_marketplace_gets_what_its_one_request_brings(world, team):
    chat, bob = team
    world.sim.past.sell()
    root = world.sim.past.say(chat, bob.id, "begin", NOW - 100)
    world.sim.past.fill(chat, [bob.id], 40, NOW - 90, 1.0, root)
    told = await read(world, chat, _ask(world, chat, root), root)
    assert [each.text for each in told] == ["begin", *(f"message {number}" for number in range(14))]
    with pytest.raises(RateLimited):
        await read(world, chat, _ask(world, chat, root), root)


async def test_hostile_messages_do_no_harm(world, team):
    chat, bob = team
    nest: dict[str, Json] = {"type": "rich_text_section", "elements": []}
    for _ in range(60):
        nest = {"type": "rich_text", "elements": [nest]}
    strange = {"blocks": [nest, 7, {"type": []}], "attachments": [{"fields": 3, "title": {}}, None]}
    world.sim.past.webhook(chat, "Evil", NOW - 9, text="<" * 50_000, **strange)
    world.sim.past.say(chat, bob.id, "fine", NOW - 8, files="none", text={"a": 1}, edited=0)
    world.sim.past.say(chat, bob.id, "", NOW - 7, user=["x"], text="who?")
    world.sim.past.say(chat, bob.id, "still here", NOW - 6)
    mention = _ask(world, chat)
    told = await read(world, chat, mention, mention, whole_chat=True)
    assert [each.text[:20] for each in told] == ["<" * 20, "still here"]
    assert all(len(each.text) <= 12_000 for each in told)
