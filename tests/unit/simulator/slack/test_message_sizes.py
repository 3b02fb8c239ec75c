"""What the simulated Slack takes of messages: its codes and sizes, asked with Slack's own SDK."""

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "*x*"}}


@pytest.fixture
def slack(world):
    return AsyncWebClient(world.sim.bot_token, base_url=world.sim.api_url)


async def error_of(call):
    with pytest.raises(SlackApiError) as raised:
        await call
    return raised.value.response["error"]


def card(number=1, **more):
    return {"type": "task_update", "id": str(number), "title": "查" * 80, "status": "complete", **more}


def text(words):
    return {"type": "markdown_text", "text": words}


@pytest.fixture
def there(world):
    return {"channel": world.alice.dm, "thread_ts": world.people.say(world.alice.dm, world.alice.id, "hi")}


async def test_beside_cards_a_stream_holds_bytes_of_titles_and_text(world, slack, there):
    many = [card(number) for number in range(30)]
    ts = (await slack.chat_startStream(**there, chunks=many))["ts"]
    more = {"channel": there["channel"], "ts": ts}
    assert await error_of(slack.chat_appendStream(**more, chunks=[text("字" * 1500)])) == "msg_too_long"
    await slack.chat_appendStream(**more, chunks=[text("字" * 1000)])
    assert (
        await error_of(slack.chat_appendStream(**more, chunks=[card(0, output="x" * 400)])) == "msg_too_long"
    )
    await slack.chat_stopStream(**more)
    assert world.people.answers(there["channel"], there["thread_ts"]) == ("字" * 1000,)


async def test_without_cards_a_stream_holds_characters(slack, there):
    await slack.chat_startStream(**there, chunks=[text("字" * 12_000)])
    assert await error_of(slack.chat_startStream(**there, chunks=[text("字" * 12_001)])) == "msg_too_long"


async def test_all_kinds_of_chunks_are_taken_and_no_others(world, slack, there):
    chunks = [{"type": "plan_update", "title": "Plan"}, {"type": "blocks", "blocks": [SECTION]}, text("a")]
    ts = (await slack.chat_startStream(**there, chunks=chunks, task_display_mode="plan"))["ts"]
    more = {"channel": there["channel"], "ts": ts}
    for wrong in ([{"type": "plan_update"}], [card(status="done")], [{"type": "text", "text": "x"}]):
        assert await error_of(slack.chat_appendStream(**more, chunks=wrong)) == "invalid_chunks"
    both = slack.chat_appendStream(**more, chunks=[text("b")], markdown_text="c")
    assert await error_of(both) == "cannot_provide_both_markdown_text_and_chunks"
    await slack.chat_stopStream(**more, blocks=[SECTION])
    (message,) = world.people.messages(*there.values())[1:]
    assert message.text == "a\n\nx\n\nx"
    odd = slack.chat_startStream(**there, chunks=[text("b")], task_display_mode="spiral")
    assert await error_of(odd) == "invalid_arguments"


async def test_details_and_output_of_a_card_go_on_and_all_else_is_replaced(world, slack, there):
    source = {"type": "url", "url": "https://example.org", "text": "Example"}
    first = card(1, details="one", sources=[source])
    ts = (await slack.chat_startStream(**there, chunks=[first, text("a")]))["ts"]
    more = {"channel": there["channel"], "ts": ts}
    await slack.chat_appendStream(**more, chunks=[card(1, details=", two", output="x", title="New")])
    (shown,) = world.people.messages(*there.values())[1].cards
    assert shown == {
        "title": "New",
        "status": "complete",
        "details": "one, two",
        "output": "x",
        "sources": [source],
    }
    for wrong in ({"details": 1}, {"sources": source}, {"sources": [source | {"text": ""}]}):
        assert await error_of(slack.chat_appendStream(**more, chunks=[card(1, **wrong)])) == "invalid_chunks"
    full = card(1, sources=[source | {"url": "https://example.org/" + "x" * 5_300}])
    assert await error_of(slack.chat_appendStream(**more, chunks=[full])) == "msg_too_long"


async def test_a_change_holds_less_text_and_has_no_argument_for_mrkdwn(world, slack):
    dm = world.alice.dm
    ts = (await slack.chat_postMessage(channel=dm, text="*a*", mrkdwn=False))["ts"]
    assert world.people.answers(dm) == ("*a*",)
    assert await error_of(slack.chat_update(channel=dm, ts=ts, text="x" * 4_001)) == "msg_too_long"
    await slack.chat_update(channel=dm, ts=ts, text="*b*", mrkdwn=False)
    assert world.people.answers(dm) == ("b",)


async def test_a_table_is_drawn_in_a_markdown_block_and_not_in_markdown_text(world, slack):
    table, chat = "| a | b |\n|---|---|\n| 1 | 2 |", world.alice.dm
    await slack.chat_postMessage(channel=chat, markdown_text=table)
    await slack.chat_postMessage(channel=chat, text="-", blocks=[{"type": "markdown", "text": table}])
    assert world.people.answers(chat) == (table, "a | b\n1 | 2")
