"""Whether the platforms let us in, asked of all that are on."""

import json
from contextlib import ExitStack

import pytest

from parley.app.checks.preflight import ask_platforms
from parley.app.settings.load import read_settings
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator


@pytest.fixture
def channels():
    """All four platforms, and the sections that reach them."""
    with ExitStack() as stack:
        telegram = stack.enter_context(TelegramSimulator())
        slack = stack.enter_context(SlackSimulator())
        feishu = stack.enter_context(FeishuSimulator())
        dingtalk = stack.enter_context(DingTalkSimulator())
        yield {
            "telegram": {"bot_token": telegram.token, "api_url": telegram.api_url},
            "slack": {
                "bot_token": slack.bot_token,
                "app_token": slack.app_token,
                "signing_secret": slack.signing_secret,
                "api_url": slack.api_url,
            },
            "feishu": {
                "app_id": feishu.world.app_id,
                "app_secret": feishu.world.secret,
                "domain": feishu.url,
            },
            "dingtalk": {
                "client_id": dingtalk.client_id,
                "client_secret": dingtalk.client_secret,
                "api_url": dingtalk.url,
                "oapi_url": dingtalk.url,
            },
        }


async def found(channels, folder):
    return await ask_platforms(read_settings(json.dumps({"channels": channels}), "config.yaml", {}, folder))


async def test_each_platform_says_who_we_are(channels, tmp_path):
    findings = await found(channels, tmp_path)
    assert findings.mistakes == ()
    assert sorted(line.split()[0] for line in findings.known) == ["dingtalk", "feishu", "slack", "telegram"]
    assert "telegram lets us in as @parley_bot" in findings.known
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("channel", "key", "value", "where"),
    [
        ("telegram", "bot_token", "1:wrong", "channels.telegram.bot_token: Telegram "),
        (
            "slack",
            "bot_token",
            "xoxb-wrong",
            "channels.slack.bot_token: Slack does not know this token",
        ),
        (
            "slack",
            "app_token",
            "xapp-wrong",
            "channels.slack.app_token: Slack does not know this token",
        ),
        ("feishu", "app_secret", "wrong", "channels.feishu.app_id, channels.feishu.app_secret"),
        (
            "dingtalk",
            "client_secret",
            "wrong",
            "channels.dingtalk.client_id, channels.dingtalk.client_secret",
        ),
    ],
)
async def test_what_is_refused_is_named_by_its_place(channels, tmp_path, channel, key, value, where):
    findings = await found({channel: channels[channel] | {key: value}}, tmp_path)
    assert findings.known == ()
    (line,) = findings.mistakes
    assert line.show("config.yaml").startswith(f"config.yaml:1: {where}")
    assert value == "wrong" or value not in line.text


async def test_one_that_is_away_does_not_keep_the_others_from_answering(channels, tmp_path):
    away = {"telegram": channels["telegram"] | {"api_url": "http://127.0.0.1:9"}}
    findings = await found(channels | away, tmp_path)
    assert len(findings.known) == 3
    (line,) = findings.mistakes
    assert line.show("config.yaml").startswith("config.yaml:1: channels.telegram: ")


async def test_a_slack_app_that_is_posted_to_needs_no_connection(channels, tmp_path):
    posted_to = channels["slack"] | {"events": "http", "app_token": ""}
    findings = await found({"slack": posted_to}, tmp_path)
    assert findings.mistakes == ()


async def test_scopes_that_a_slack_app_lacks_are_named_with_what_to_do(tmp_path):
    with SlackSimulator() as slack:
        slack.people.restrict_scopes("chat:write", "im:history")
        section = {"bot_token": slack.bot_token, "app_token": slack.app_token, "api_url": slack.api_url}
        findings = await found({"slack": section}, tmp_path)
    (line,) = findings.mistakes
    assert line.show("config.yaml") == (
        "config.yaml:1: channels.slack.bot_token: the app lacks scopes: chat:write, im:history; add them on "
        "its page under OAuth & Permissions, and install it again (docs/slack-manifest.yaml has all)"
    )
    assert findings.known != ()


async def test_of_a_missing_scope_is_said_what_does_not_work(tmp_path):
    with SlackSimulator(experience="plain") as slack:
        slack.people.restrict_scopes("commands")
        section = {"bot_token": slack.bot_token, "app_token": slack.app_token, "api_url": slack.api_url}
        (line,) = (await found({"slack": section}, tmp_path)).mistakes
    shown = line.show("config.yaml")
    assert "assistant:write (being an agent, with a stop button and suggested prompts)" in shown
    assert "commands (/parley and the shortcut of a message)" in shown
