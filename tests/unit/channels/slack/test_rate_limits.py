"""What Slack counts, and twenty answers under it."""

from __future__ import annotations

from parley.channels.slack.rate_limits import TIERS, counted_calls
from parley.simulator.kit.limits import load_limits
from tests.kit.growing_answers import StrictPlatform, latest_final, same
from tests.kit.virtual_time import run_in_virtual_time

_ROWS = {
    "chat.appendStream": "append_stream_calls",
    "chat.delete": "tier_3",
    "chat.startStream": "start_stream_calls",
    "chat.stopStream": "stop_stream_calls",
    "chat.update": "update_calls",
}
_LIMITS = [(method, load_limits("slack")[row].whole, 60.0) for method, row in _ROWS.items()]


def test_no_method_is_called_more_often_than_documented():
    assert {method: most for method, most, _ in _LIMITS} == TIERS


def test_messages_count_by_chat_and_other_calls_by_method():
    assert counted_calls("chat.postMessage", "C1") != counted_calls("chat.postMessage", "C2")
    assert counted_calls("chat.update", "C1") == counted_calls("chat.update", "C2")
    assert counted_calls("users.info", "") == ()


@run_in_virtual_time
async def test_twenty_growing_streams_end_when_their_answers_end():
    platform = StrictPlatform(_LIMITS)
    shows, ends = [counted_calls("chat.appendStream", "")], [counted_calls("chat.stopStream", "")]
    assert await latest_final(platform, same(20, lambda _: (shows, ends)), 1.0) < 2.0
    assert platform.refused == 0


@run_in_virtual_time
async def test_twenty_changing_messages_end_when_their_answers_end():
    platform = StrictPlatform(_LIMITS)
    call = [counted_calls("chat.update", "")]
    assert await latest_final(platform, same(20, lambda _: (call, call)), 1.0) < 2.0
    assert platform.refused == 0


@run_in_virtual_time
async def test_where_there_are_more_ends_than_calls_the_rest_come_with_the_next_minute():
    platform = StrictPlatform(_LIMITS)
    call = [counted_calls("chat.update", "")]
    assert await latest_final(platform, same(70, lambda _: (call, call)), 1.0) < 62.0
    assert platform.refused == 0
