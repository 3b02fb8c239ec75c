"""What is found between a platform and its simulator: a seeded untruth of each kind, from either side."""

from __future__ import annotations

from typing import Any

import pytest

import parley.simulator.dingtalk.people as dingtalk_people
import parley.simulator.feishu.people as feishu_people
import parley.simulator.slack.api.methods as slack_methods
import parley.simulator.telegram.api.methods as telegram_methods
from parley.app.live.compare import compare
from parley.app.live.recording import Recording
from parley.app.live.shapes import read_shape
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.people import SimulatedSlackPeople
from tests.live.walks import compared, walk

pytestmark = pytest.mark.timeout(120)


async def both_ways(platform, folder, seed, steps=("message",)):
    """The differences of a seeded platform from the simulator, and of the platform from a seeded one."""
    faithful = await walk(platform, folder / "faithful", steps)
    with pytest.MonkeyPatch.context() as patch:
        seed(patch)
        seeded = await walk(platform, folder / "seeded", steps)
    assert compared(faithful, faithful).differences == ()
    return compared(seeded, faithful).differences, compared(faithful, seeded).differences


async def test_a_field_of_another_name_is_found(tmp_path):
    def seed(patch):
        as_it_is = vars(telegram_methods)["message_json"]

        def renamed(*arguments):
            body = as_it_is(*arguments)
            return body | {"edit_date": body["date"]}

        patch.setattr(telegram_methods, "message_json", renamed)

    more, less = await both_ways("telegram", tmp_path, seed)
    sent = "answer POST /*/sendMessage: field .result.edit_date (number)"
    assert f"{sent} is missing in the simulator" in more
    assert f"{sent} is the simulator's own" in less
    assert "event message: field .message.edit_date (number) is missing in the simulator" in more


async def test_a_limit_that_is_lower_is_found(tmp_path):
    more, less = await both_ways(
        "telegram", tmp_path, lambda patch: patch.setattr(telegram_methods, "MOST_TEXT", 10)
    )
    refused, taken = "400 400 (step message)", "success (step message)"
    assert more == (
        "step message: on the platform answered with DeliveryRejected, on the simulator answered",
        f"call POST /*/sendMessage: the platform answered {refused}, the simulator {taken}",
    )
    assert less == (
        "step message: on the platform answered, on the simulator answered with DeliveryRejected",
        f"call POST /*/sendMessage: the platform answered {taken}, the simulator {refused}",
    )


async def test_another_code_is_found(tmp_path):
    def refuse(code):
        def refused(message, params):
            raise SlackErrorResponse(code)

        return refused

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slack_methods, "set_content", refuse("msg_too_long"))
        platform = await walk("slack", tmp_path / "platform", ("message",))
        patch.setattr(slack_methods, "set_content", refuse("no_text"))
        simulator = await walk("slack", tmp_path / "simulator", ("message",))
    found = [
        each for each in compared(platform, simulator).differences if "POST /api/chat.postMessage" in each
    ]
    call = "call POST /api/chat.postMessage"
    theirs, ours = "200 msg_too_long (step message)", "200 no_text (step message)"
    assert found == [f"{call}: the platform answered {theirs}, the simulator {ours}"]


async def test_another_type_is_found(tmp_path):
    def seed(patch):
        as_it_is = vars(feishu_people)["message_event"]

        def numbered(*arguments):
            event: Any = as_it_is(*arguments)
            return event | {"message": event["message"] | {"create_time": 1700000000000}}

        patch.setattr(feishu_people, "message_event", numbered)

    more, less = await both_ways("feishu", tmp_path, seed)
    place = "event event im.message.receive_v1 text: field .payload.event.message.create_time"
    assert more == (f"{place} is number, in the simulator text",)
    assert less == (f"{place} is text, in the simulator number",)


async def test_a_field_that_is_missing_in_a_text_with_json_is_found(tmp_path):
    def seed(patch):
        as_it_is = vars(dingtalk_people)["bot_message"]

        def poorer(*arguments):
            return {name: each for name, each in as_it_is(*arguments).items() if name != "createAt"}

        patch.setattr(dingtalk_people, "bot_message", poorer)

    more, less = await both_ways("dingtalk", tmp_path, seed)
    assert [each for each in more if ".data<json>.createAt (number) is the simulator's own" in each]
    assert [each for each in less if ".data<json>.createAt (number) is missing in the simulator" in each]


async def test_another_order_is_found(tmp_path):
    def seed(patch):
        as_it_is = SimulatedSlackPeople._tell

        def reversed_order(self, place, message):
            with pytest.MonkeyPatch.context() as inner:
                events: list[Any] = []
                inner.setattr(self._world, "emit", events.append)
                as_it_is(self, place, message)
            for event in reversed(events):
                self._world.emit(event)

        patch.setattr(SimulatedSlackPeople, "_tell", reversed_order)

    more, _ = await both_ways("slack", tmp_path, seed, ("message", "mention"))
    assert [each.partition(":")[0] for each in more] == ["order in step mention"]


def test_what_only_one_side_was_asked_proves_nothing():
    call: dict[str, Any] = {
        "kind": "call",
        "method": "POST",
        "path": "/a",
        "status": 200,
        "response": {"ok": True},
    }
    found = compared(Recording("slack", (call,)), Recording("slack", ({**call, "path": "/b"},)))
    assert found.differences == ()
    assert found.only_one == (
        "answer POST /a: from the platform only",
        "answer POST /b: from the simulator only",
    )


def test_an_unknown_field_differs_whatever_stands_for_it():
    def asked(response):
        call: dict[str, Any] = {
            "kind": "call",
            "method": "POST",
            "path": "/a",
            "status": 200,
            "response": response,
        }
        return read_shape(Recording("slack", (call,)))

    found = compare(asked({"~3": 1, "deep": {"inner": []}}), asked({"ok": True}))
    assert found.differences == (
        "answer POST /a: field .deep (object) is missing in the simulator",
        "answer POST /a: field .~ (number) is missing in the simulator",
        "answer POST /a: field .ok (true or false) is the simulator's own",
    )
    assert compare(asked({"~3": 1}), asked({"~1": 1})).differences == ()


def test_a_terminal_is_safe_from_a_recording():
    call: dict[str, Any] = {"kind": "call", "method": "\x1b[2J", "path": "/a", "status": 200}
    more = {**call, "response": {"\x1b]0;title\x07" + "y" * 9999: 1}}
    found = compared(Recording("slack", (more,)), Recording("slack", ({**call, "response": {}},)))
    (line,) = found.differences
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 400
