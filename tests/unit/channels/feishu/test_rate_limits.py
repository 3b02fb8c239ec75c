"""What Feishu counts, and fifty cards under it."""

from __future__ import annotations

from parley.channels.feishu.rate_limits import A_CHAT, A_METHOD, A_SECOND_OF_SPEECH, SPEECH, counted_calls
from parley.simulator.kit.limits import load_limits
from tests.kit.growing_answers import StrictPlatform, latest_final, same
from tests.kit.virtual_time import run_in_virtual_time

_ROWS = load_limits("feishu")
_CARDS = "/open-apis/cardkit/v1/cards"
_MESSAGES = "/open-apis/im/v1/messages"


def keys(verb: str, path: str, chat: str = "") -> list[str]:
    """What a call counts as."""
    return [each.key for each in counted_calls(verb, path, chat)]


def test_the_limits_are_the_documented_ones():
    assert [limit.most for limit in A_METHOD] == [
        _ROWS["api_calls_per_minute"].whole,
        _ROWS["api_calls_per_second"].whole,
    ]
    assert A_CHAT[0].most == _ROWS["messages_to_group"].whole
    assert A_SECOND_OF_SPEECH[0].most == _ROWS["speech_calls"].whole
    assert counted_calls("POST", SPEECH, "")[0].limits == A_SECOND_OF_SPEECH


def test_calls_count_by_method_whatever_they_are_about():
    assert keys("PUT", f"{_CARDS}/a/elements/text/content") == keys("PUT", f"{_CARDS}/b/elements/c/content")
    assert keys("PUT", f"{_CARDS}/a/elements/text/content") != keys("PUT", f"{_CARDS}/a")
    assert keys("PATCH", f"{_MESSAGES}/om_1") == keys("PATCH", f"{_MESSAGES}/om_2")


def test_messages_count_by_chat_too():
    assert keys("POST", _MESSAGES, "oc_1")[0] != keys("POST", _MESSAGES, "oc_2")[0]
    assert keys("POST", _MESSAGES, "oc_1")[1] == keys("POST", _MESSAGES, "oc_2")[1]


def test_what_is_read_is_not_counted():
    assert keys("GET", f"{_MESSAGES}/om_1") == []


@run_in_virtual_time
async def test_fifty_cards_end_when_their_answers_end():
    platform = StrictPlatform([("PUT", 1000, 60.0), ("PUT", 50, 1.0), ("PATCH", 50, 1.0)])
    stream = counted_calls("PUT", f"{_CARDS}/a/elements/text/content", "")
    settings = counted_calls("PATCH", f"{_CARDS}/a/settings", "")
    answers = same(50, lambda _: ([stream], [stream, settings]))
    assert await latest_final(platform, answers, 0.3) < 3.0
    assert platform.refused == 0
