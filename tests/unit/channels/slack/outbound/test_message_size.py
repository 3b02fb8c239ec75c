"""Answers that are more than one message holds: counted in bytes, and split smaller when refused."""

import pytest

from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import Step, StepStatus
from tests.kit.platforms.slack_channel import Notes, finish_until_done, snapshot

CHINESE = "我们明天上午九点在三楼会议室讨论预算。" * 316
"""6,004 characters, 18,012 bytes."""


def steps(count: int, status: StepStatus = StepStatus.DONE) -> tuple[Step, ...]:
    return tuple(Step(str(number), f"查询第{number}号数据库", status) for number in range(count))


def said(world, thread) -> str:
    return "".join("".join(world.ours(thread)).split())


async def test_a_long_chinese_answer_beside_cards_grows_within_the_bytes_that_slack_takes(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    for end in range(1000, 6000, 1000):
        await reply.show(snapshot(CHINESE[:end], steps=steps(end // 500)))
    await reply.finish(snapshot(CHINESE, steps=steps(12)))
    assert said(world, thread) == CHINESE
    assert not [call for call in world.sim.calls() if call.error]


async def test_cards_beyond_their_room_share_the_last_one(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    for count in (40, 80, 120):
        await reply.show(snapshot(CHINESE[:count], steps=steps(count, StepStatus.RUNNING)))
    await reply.finish(snapshot(CHINESE[:1900], steps=steps(120)))
    tasks = world.people.messages(*thread)[-1].tasks
    assert len(tasks) <= 50
    assert tasks[-1] == ("查询第119号数据库", "complete")
    assert {state for _, state in tasks} == {"complete"}
    assert not [call for call in world.sim.calls() if call.error]


@pytest.mark.parametrize("refused", ["chat.appendStream", "chat.stopStream", "chat.update"])
@pytest.mark.parametrize("error", ["msg_too_long", "msg_blocks_too_many", "update_failed", "block_mismatch"])
@pytest.mark.parametrize("text", [CHINESE, "short and & sweet"], ids=["long", "short"])
async def test_whatever_slack_refuses_for_its_size_the_answer_arrives_whole(world, refused, error, text):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot(text[:5], steps=steps(3)))
    world.sim.faults.fail_next(refused, error, times=10_000)
    if refused == "chat.update":
        # Only a refused append leads to a change.
        world.sim.faults.fail_next("chat.appendStream", error, times=10_000)
    for end in (8, 4000):
        try:
            await reply.show(snapshot(text[:end], steps=steps(3)))
        except DeliveryRejected:
            continue
    receipt = await finish_until_done(reply, snapshot(text, steps=steps(3), final=True))
    assert said(world, thread) == "".join(text.split())
    assert len(receipt.message_ids) == len(world.ours(thread))


async def test_a_refused_stop_never_ends_a_finish(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("one thing"))
    world.sim.faults.fail_next("chat.stopStream", "msg_too_long", times=2)
    await reply.finish(snapshot("another thing"))
    assert world.ours(thread) == ["another thing"]


@pytest.mark.parametrize("in_thread", [True, False])
async def test_refused_markdown_of_a_long_answer_leaves_all_its_words(world, in_thread):
    thread = world.thread() if in_thread else None
    for method in ("chat.startStream", "chat.postMessage", "chat.update"):
        world.sim.faults.fail_next(method, "msg_too_long", times=6)
    text = " ".join(f"**{number}** & more" for number in range(900))
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.finish(snapshot(text))
    found = " ".join(world.ours(thread)).replace("*", "")
    assert found.split() == text.replace("*", "").split()


async def test_a_changed_message_has_no_argument_for_mrkdwn(world):
    world.sim.faults.fail_next("chat.update", "invalid_blocks", times=2)
    reply = world.channel().open_reply(world.target(), Notes())
    await reply.show(snapshot("so"))
    await reply.finish(snapshot("so be it"))
    assert world.ours() == ["so be it"]
    assert not [call for call in world.sim.calls("chat.update") if "mrkdwn" in call.params]
