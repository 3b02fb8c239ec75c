"""What a card says beside its title: details, output and sources, which its agent gave it."""

from dataclasses import replace

import pytest
from slack_sdk.models.messages.chunk import Chunk

from parley.channels.slack.outbound.task_cards import TaskCards
from parley.core.model.errors import RateLimited
from parley.core.model.types import Step, StepSource, StepStatus
from tests.kit.platforms.slack_channel import Notes, snapshot

SOURCE = StepSource("https://example.org/tariff", "Tariff 2026")
LOOK = Step("1", "Search", StepStatus.RUNNING, "tariffs of 2026")
DONE = replace(LOOK, status=StepStatus.DONE, output="2 pages", sources=(SOURCE,))


def cards(world, thread):
    return list(world.people.messages(*thread)[-1].cards)


async def test_a_card_has_what_its_step_says_and_says_it_once(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("Hel", steps=(LOOK,)))
    await reply.show(snapshot("Hello", steps=(LOOK, replace(LOOK, id="2", details=""))))
    await reply.finish(snapshot("Hello!", steps=(DONE,), final=True))
    shown = {
        "title": "Search",
        "status": "complete",
        "details": "tariffs of 2026",
        "output": "2 pages",
        "sources": [{"type": "url", "url": SOURCE.url, "text": SOURCE.title}],
    }
    assert cards(world, thread)[0] == shown
    for call in world.sim.calls():
        for chunk in call.params.get("chunks") or ():
            parsed = Chunk.parse(chunk)
            assert parsed is not None
            assert parsed.to_dict() == chunk, "as Slack's own SDK writes it"


async def test_a_step_that_is_no_more_does_not_look_as_if_it_went_on(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("", steps=(LOOK,)))
    await reply.show(snapshot("", steps=(replace(LOOK, id="2", title="Read"),)))
    shown = [(card["title"], card["status"]) for card in cards(world, thread)]
    assert shown == [("Search", "complete"), ("Read", "in_progress")]
    await reply.show(snapshot("", steps=(LOOK, replace(LOOK, id="2", title="Read"))))
    assert [card["status"] for card in cards(world, thread)] == ["in_progress", "in_progress"]


@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream", "chat.stopStream"])
async def test_what_did_not_arrive_is_said_once_when_it_does(world, method):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    first, second = snapshot("Hel", steps=(LOOK,)), snapshot("Hello", steps=(replace(DONE, output="2"),))
    final = snapshot("Hello!", steps=(replace(DONE, output="2 pages"),), final=True)
    world.sim.faults.fail_next(method, "ratelimited", status=429)
    for tell, said in ((reply.show, first), (reply.show, second), (reply.finish, final)):
        try:
            await tell(said)
        except RateLimited:
            await tell(said)
    (card,) = cards(world, thread)
    assert (card["details"], card["output"]) == ("tariffs of 2026", "2 pages")


async def test_an_agent_calls_nobody_from_a_card(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("Hel", steps=(replace(DONE, details="<!channel>", output="<@U1>"),)))
    (card,) = cards(world, thread)
    assert (card["details"], card["output"]) == ("<\u2060!channel>", "<\u2060@U1>")


def updates(made, *steps, closed=False):
    return made.updates(steps, closed=closed)


def test_words_that_go_on_are_added_and_others_stand_under_them():
    made = TaskCards()
    made.begin_message()
    updates(made, LOOK)
    (longer,) = updates(made, replace(LOOK, details="tariffs of 2026 and 2027"))
    (other,) = updates(made, replace(LOOK, details="prices"))
    (done,) = updates(made, replace(DONE, details="prices"))
    assert longer["details"] == " and 2027"
    assert other["details"] == "\nprices"
    assert "details" not in done


def test_a_new_message_says_all_of_a_step_that_still_runs():
    made = TaskCards()
    made.begin_message()
    updates(made, LOOK, replace(DONE, id="2"), closed=True)
    made.begin_message()
    (again,) = updates(made, LOOK, replace(DONE, id="2"))
    assert (again["status"], again["details"]) == ("in_progress", LOOK.details)


def test_cards_have_no_more_bytes_than_their_room():
    made = TaskCards()
    made.begin_message()
    steps = [
        Step(
            str(n),
            "题" * 40,
            StepStatus.DONE,
            "细" * 400,
            "果" * 400,
            (replace(SOURCE, url="https://e.org/" + "x" * 400),) * 5,
        )
        for n in range(60)
    ]
    told = {chunk["id"]: chunk for chunk in updates(made, *steps)}
    twice = "".join(f"{chunk.get(key, '')}" for chunk in told.values() for key in ("details", "output"))
    sources = "".join(
        f"{each['url']}{each['text']}" for chunk in told.values() for each in chunk.get("sources", ())
    )
    titles = "".join(chunk["title"] for chunk in told.values())
    assert len(titles.encode()) + 2 * len(twice.encode()) + 2 * len(sources.encode()) <= 3_000
    assert all(
        len(chunk.get(key, "").encode()) <= 250 for chunk in told.values() for key in ("details", "output")
    )
    assert told["parley_latest"]["title"] == steps[-1].title
    assert "details" not in told["parley_latest"], "it would be appended to another step's"
