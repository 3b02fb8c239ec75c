"""What Telegram counts, and five answers in one forum under it."""

from __future__ import annotations

from parley.channels.telegram.rate_limits import ALL_CHATS, ONE_A_SECOND, TWENTY_A_MINUTE, counted_calls
from parley.simulator.kit.limits import load_limits
from tests.kit.growing_answers import StrictPlatform, latest_final, same
from tests.kit.virtual_time import run_in_virtual_time

_ROWS = load_limits("telegram")
_GROUP = -1001


def keys(method: str, chat: int) -> list[str]:
    """What a call counts as."""
    return [each.key for each in counted_calls(method, chat)]


def test_the_limits_are_the_documented_ones():
    assert TWENTY_A_MINUTE.most / TWENTY_A_MINUTE.seconds * 60 == _ROWS["messages_in_group"].whole
    assert ONE_A_SECOND.most / ONE_A_SECOND.seconds == _ROWS["messages_in_chat"].number
    assert ALL_CHATS.limits[0].most / ALL_CHATS.limits[0].seconds == _ROWS["messages_overall"].whole


def test_messages_and_edits_count_together_by_chat():
    assert keys("sendMessage", _GROUP) == keys("editMessageText", _GROUP)
    assert keys("sendMessage", _GROUP)[0] != keys("sendMessage", -1002)[0]
    assert set(keys("sendMessage", 7)) < set(keys("editMessageText", 7))


def test_drafts_hold_back_no_message():
    assert not set(keys("sendMessageDraft", 7)) & set(keys("sendMessage", 7))


def test_what_nobody_sees_is_not_counted():
    assert keys("getMe", 7) == keys("deleteMessage", 7) == []


@run_in_virtual_time
async def test_five_topics_of_a_forum_end_when_their_answers_end():
    platform = StrictPlatform([("group", _ROWS["messages_in_group"].whole, 60.0), ("all", 30, 1.0)])
    call = [counted_calls("editMessageText", _GROUP)]
    assert await latest_final(platform, same(5, lambda _: (call, call)), 3.0, 40.0) < 2.0
    assert platform.refused == 0
