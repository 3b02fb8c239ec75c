"""Several channels of one platform."""

import pytest

from parley.app.settings.core_options import core_options
from tests.kit.settings_reading import mistakes, settings

TOKENS = "bot_token: xoxb-1, app_token: xapp-1"
MIXED = "bot_token: xoxb-2, app_token: xapp-1"
OTHER = "bot_token: xoxb-2, app_token: xapp-2"


def test_a_section_with_a_type_is_a_channel_of_that_platform_with_rules_of_its_own() -> None:
    loaded = settings(
        f"channels: {{slack: {{{TOKENS}, mention: never}},"
        " support: {type: slack, bot_token: $SUPPORT_TOKEN, app_token: $SUPPORT_APP, allowed_users: [U1]}}",
        SUPPORT_TOKEN="xoxb-2",
        SUPPORT_APP="xapp-2",
    )
    assert list(loaded.channels) == ["slack", "support", "web"]
    assert [loaded.plans[name].kind for name in ("slack", "support")] == ["slack", "slack"]
    options = core_options(loaded).channels
    assert (options["slack"].mention, options["support"].mention) == ("never", "required")
    assert options["support"].allowed_users == {"U1"}


def test_it_is_off_while_its_own_variables_are_not_set() -> None:
    loaded = settings("channels: {support: {type: slack, bot_token: $SUPPORT_TOKEN}}")
    assert loaded.plans["support"].off == "$SUPPORT_TOKEN is not set"


MISTAKES = {
    "pager: {bot_token: x}": "pager: unknown key; known here: dingtalk, feishu, slack, telegram, web;"
    " for another app of one of these add type:",
    "support: {type: slak}": 'support.type: there is no channel "slak"; did you mean "slack"?',
    "support: {type: 7}": 'support.type: there is no channel "7"; known here:'
    " dingtalk, feishu, slack, telegram, web",
    "page: {type: web}": "page.type: there is one web only; write its settings under channels.web",
    "slack: {type: telegram}": "slack.type: must be slack, as the section says; remove this, or rename the"
    " section",
    "'a:b': {type: slack}": "a:b: a channel's name is a small letter, then at most 31 small letters,"
    " digits, - or _",
    f"slack: {{{TOKENS}}}, support: {{type: slack, {TOKENS}}}": "support.bot_token: is that of"
    " channels.slack, too; every channel needs an app of its own",
    f"slack: {{{TOKENS}}}, support: {{type: slack, {MIXED}}}": "support.app_token: is that of"
    " channels.slack, too; every channel needs an app of its own",
}


@pytest.mark.parametrize(("section", "line"), MISTAKES.items())
def test_mistakes_name_the_place_and_the_remedy(section: str, line: str) -> None:
    assert mistakes(f"channels: {{{section}}}") == [f"config.yaml:1: channels.{line}"]


def test_two_channels_are_two_apps() -> None:
    assert mistakes(f"channels: {{slack: {{{TOKENS}}}, support: {{type: slack, {OTHER}}}}}") == []


def test_a_webhook_ends_with_the_name_of_its_channel() -> None:
    there = "bot_token: '1:a', webhook_url: https://your.host/hooks/"
    assert mistakes(f"channels: {{ops: {{type: telegram, {there}ops}}}}") == []
    (line,) = mistakes(f"channels: {{ops: {{type: telegram, {there}telegram}}}}")
    assert line.endswith("must be a public address that ends so: https://your.host/hooks/ops")
