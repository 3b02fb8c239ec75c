"""What the simulated Slack does with a thread that is not there, asked with Slack's own SDK."""

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient


async def test_a_post_into_it_is_taken_and_reading_it_is_refused(world):
    slack, dm, nowhere = (
        AsyncWebClient(world.sim.bot_token, base_url=world.sim.api_url),
        world.alice.dm,
        "1.000001",
    )
    posted = await slack.chat_postMessage(channel=dm, text="hello", thread_ts=nowhere)
    assert posted["message"]["thread_ts"] == nowhere
    with pytest.raises(SlackApiError) as raised:
        await slack.conversations_replies(channel=dm, ts=nowhere)
    assert raised.value.response["error"] == "thread_not_found"
