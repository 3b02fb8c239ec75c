# ruff: noqa: E501 - a table reads better with its rows whole
"""What can be seen in the settings alone: each finding names its file, its key and the remedy."""

from __future__ import annotations

import pytest

from parley.app.checks.findings import check_settings
from tests.kit.checkout import SHIPPED
from tests.kit.settings_reading import settings

TELEGRAM = "bot_token: 1:a"
SLACK = "bot_token: xoxb-1, app_token: xapp-1"
FEISHU = "app_id: cli_1, app_secret: s"
DINGTALK = "client_id: a, client_secret: b"

WRONG = [
    (
        "agent: {assistant: agnt}",
        'agent.assistant: the agent server has no assistant "agnt"; did you mean "agent"?',
    ),
    (
        "agent: {assistant: one, graphs: {one: g.py:g}}\nsession: {assistant_id: two}",
        'session.assistant_id: the agent server has no assistant "two"; there are: one',
    ),
    (
        "memory: {assistant: librarian}",
        'memory.assistant: the agent server has no assistant "librarian"; there are: agent',
    ),
    (
        "channels: {web: {session: {users: {local: {assistant_id: x}}}}}",
        'channels.web.session.users.local.assistant_id: the agent server has no assistant "x"; there are: agent',
    ),
    (
        f"channels: {{telegram: {{{TELEGRAM}, allowed_users: ['@alice']}}}}",
        'channels.telegram.allowed_users[0]: "@alice" is nobody\'s id; write a user id, a number such as',
    ),
    (
        f"channels: {{telegram: {{{TELEGRAM}, admins: [7, -100]}}}}",
        'channels.telegram.admins[1]: "-100" is nobody\'s id; write a user id',
    ),
    (
        f"channels: {{telegram: {{{TELEGRAM}, chats: {{-100: {{allowed_users: [bob]}}}}}}}}",
        'channels.telegram.chats.-100.allowed_users[0]: "bob" is nobody\'s id',
    ),
    (
        f"channels: {{telegram: {{{TELEGRAM}, session: {{users: {{bob: {{assistant_id: agent}}}}}}}}}}",
        'channels.telegram.session.users.bob: "bob" is nobody\'s id',
    ),
    (
        f"channels: {{slack: {{{SLACK}, allowed_users: [alice@example.com]}}}}",
        'channels.slack.allowed_users[0]: "alice@example.com" is nobody\'s id; write a member id such as',
    ),
    (
        f"channels: {{feishu: {{{FEISHU}, allowed_users: [on_1]}}}}",
        'channels.feishu.allowed_users[0]: "on_1" is nobody\'s id; write an open id such as "ou_',
    ),
    (
        f"channels: {{dingtalk: {{{DINGTALK}, allowed_users: ['@alice']}}}}",
        'channels.dingtalk.allowed_users[0]: "@alice" is nobody\'s id; write a staff id',
    ),
    (
        f"channels: {{dingtalk: {{{DINGTALK}, card_template_id: nonsense}}}}",
        "channels.dingtalk.card_template_id: is no template's id, which ends in .schema",
    ),
    (
        f"channels: {{dingtalk: {{{DINGTALK}, question_template_id: x.schema}}}}",
        "channels.dingtalk.question_template_id: is no template's id",
    ),
    (
        "channels: {slack: {bot_token: xoxb-1}}",
        "channels.slack.app_token: is empty, so slack is off although its bot_token is there; write both, or",
    ),
    (
        "channels: {slack: {bot_token: $UNSET, app_token: xapp-1}}",
        "channels.slack.bot_token: $UNSET is not set, so slack is off although its app_token is there",
    ),
    (
        "channels: {slack: {events: http, bot_token: xoxb-1}}",
        "channels.slack.signing_secret: is empty, so slack",
    ),
    ("channels: {feishu: {app_id: cli_1}}", "channels.feishu.app_secret: is empty, so feishu is off"),
    (
        "channels: {dingtalk: {client_secret: b}}",
        "channels.dingtalk.client_id: is empty, so dingtalk is off",
    ),
]

IDLE = [
    (
        "agent: {url: 'http://x', graphs: {agent: g.py:g}}",
        "agent.graphs: does nothing: the agent runs at agent.url",
    ),
    ("agent: {url: 'http://x', model: 'a:b'}", "agent.model: does nothing: the agent runs at agent.url"),
    ("agent: {headers: {a: b}}", "agent.headers: does nothing: it is for a server at agent.url"),
    (
        "agent: {url: 'http://x', models: [a], gateway_url: 'http://y'}",
        "agent.gateway_url: is not asked: models are named here already",
    ),
    (
        "memory: {enabled: false, model_name: 'a:b'}",
        "memory.model_name: does nothing with memory.enabled: false",
    ),
    (
        "memory: {assistant: agent, temperature: 1}",
        "memory.temperature: does nothing: memory.assistant learns",
    ),
    (
        "memory: {storage: store, storage_path: x}",
        "memory.storage_path: does nothing: memories are in the store",
    ),
    (
        "memory: {similarity_weight: 1}",
        "memory.similarity_weight: does nothing without memory.ranking: weighted",
    ),
    ("memory: {embedding_model: m}", "memory.embedding_model: does nothing: it is for a service"),
    ("store: {node: blue}", "store.node: does nothing with SQLite; write store.url: postgresql://..."),
    (
        f"channels: {{slack: {{{SLACK}, signing_secret: s}}}}",
        "channels.slack.signing_secret: does nothing with events: socket",
    ),
    (
        "channels: {slack: {events: http, bot_token: x, signing_secret: s, app_token: y}}",
        "channels.slack.app_token: does nothing with events: http",
    ),
    (
        f"channels: {{telegram: {{{TELEGRAM}, webhook_secret: 0123456789abcdef}}}}",
        "channels.telegram.webhook_secret: does nothing without webhook_url",
    ),
    (
        f"channels: {{telegram: {{{TELEGRAM}, allowed_users: ['*', 7]}}}}",
        "channels.telegram.allowed_users: lets every",
    ),
    (
        f"channels: {{dingtalk: {{{DINGTALK}, card_content_key: words}}}}",
        "channels.dingtalk.card_content_key: does nothing without card_template_id",
    ),
]

RIGHT = [
    "",
    "agent: {assistant: fe096781-5601-53d2-b2f6-0d3403f7e9ca}",
    "agent: {url: 'http://x', assistant: whatever}",
    "memory: {ranking: weighted, similarity_weight: 1}",
    "store: {url: 'postgresql://h/d', lease: 30}",
    "channels: {slack: {enabled: false, bot_token: xoxb-1}}",
    "channels: {slack: {bot_token: $UNSET, app_token: $UNSET}}",
    f"channels: {{telegram: {{{TELEGRAM}, allowed_users: [7, '11223344'], chats: {{-1: {{allowed_users: '*'}}}}}}}}",
    f"channels: {{slack: {{{SLACK}, allowed_users: ['*', U012AB3CD, W1], admins: [U1]}}}}",
    f"channels: {{feishu: {{{FEISHU}, allowed_users: [ou_7d8a6e6df7621556ce0d21922b676706]}}}}",
    f"channels: {{dingtalk: {{{DINGTALK}, allowed_users: [manager01, '$:LWCP_v1:$+x/y=']}}}}",
    f"channels: {{dingtalk: {{{DINGTALK}, card_template_id: 8aebdfb9-28f4-4a98-98f5-396c3dde41a0.schema}}}}",
]


@pytest.mark.parametrize(("text", "line"), WRONG)
def test_a_mistake_is_one_line_with_its_place(text: str, line: str) -> None:
    found = check_settings(settings(text))
    (mistake,) = found.mistakes
    assert mistake.show("config.yaml").startswith(f"config.yaml:{text.count(chr(10)) + 1}: {line}")
    assert found.remarks == ()


@pytest.mark.parametrize(("text", "line"), IDLE)
def test_a_key_without_an_effect_is_remarked(text: str, line: str) -> None:
    found = check_settings(settings(text))
    (remark,) = found.remarks
    assert remark.show("config.yaml").startswith(f"config.yaml:1: {line}")
    assert found.mistakes == ()


@pytest.mark.parametrize("text", RIGHT)
def test_nothing_is_said_of_what_is_right(text: str) -> None:
    found = check_settings(settings(text))
    assert (found.mistakes, found.remarks) == ((), ())


def test_the_configuration_as_shipped_is_right() -> None:
    credentials = dict.fromkeys(("OPENAI_API_KEY", "TELEGRAM_BOT_TOKEN", "SLACK_BOT_TOKEN"), "x")
    more = {"SLACK_APP_TOKEN": "x", "FEISHU_APP_ID": "x", "FEISHU_APP_SECRET": "x"}
    for environ in ({}, credentials | more):
        found = check_settings(settings(SHIPPED.read_text("utf-8"), **environ))
        assert (found.mistakes, found.remarks) == ((), ())
