"""The manifest in the documents is the one that the code means."""

from pathlib import Path
from typing import Any

from parley.channels.slack.config import Config
from parley.channels.slack.manifest import SCOPES, as_yaml, manifest
from parley.simulator.slack.world import SCOPES as SIMULATED

FILE = Path(__file__).parents[4] / "docs" / "slack-manifest.yaml"


def test_the_document_is_generated():
    assert FILE.read_text(encoding="utf-8") == as_yaml(), (
        "python -m parley.channels.slack.manifest > docs/slack-manifest.yaml"
    )


def test_the_simulator_grants_what_the_manifest_asks_for():
    assert set(SCOPES) == SIMULATED


def test_posted_to_the_app_has_one_address_for_events_and_buttons():
    settings: Any = manifest(url="https://chat.example.org/")["settings"]
    address = "https://chat.example.org/hooks/slack"
    assert settings["event_subscriptions"]["request_url"] == address
    assert settings["interactivity"]["request_url"] == address
    assert settings["socket_mode_enabled"] is False


def test_another_app_has_the_path_of_its_channel_everywhere():
    made: Any = manifest(url="https://chat.example.org/hooks/support/")
    address = "https://chat.example.org/hooks/support"
    assert made["settings"]["event_subscriptions"]["request_url"] == address
    assert made["settings"]["interactivity"]["request_url"] == address
    assert made["features"]["slash_commands"][0]["url"] == address


def test_it_is_within_the_limits_of_the_reference():
    # @slack/web-api 8.2.0, types/request/manifest.d.ts
    features: Any = manifest()["features"]
    assert set(features) == {"agent_view", "app_home", "bot_user", "shortcuts", "slash_commands"}
    assert len(features["agent_view"]["agent_description"]) <= 300
    assert 0 < len(features["agent_view"]["suggested_prompts"]) <= 4
    assert all(set(each) == {"title", "message"} for each in features["agent_view"]["suggested_prompts"])
    (shortcut,), (command,) = features["shortcuts"], features["slash_commands"]
    assert shortcut["type"] == "message"
    assert len(shortcut["name"]) <= 24
    assert "url" not in command


def test_which_credentials_are_needed_depends_on_how_events_come():
    assert Config(events="http", bot_token="xoxb-1").missing() == "signing_secret"
    posted = Config(events="http", bot_token="xoxb-1", signing_secret="a-secret")
    assert posted.missing() == ""
    assert "secret" not in repr(posted).replace("signing_secret", "")


def test_tokens_are_missing_one_after_the_other_and_never_shown():
    assert Config().missing() == "bot_token"
    assert Config(bot_token="xoxb-1").missing() == "app_token"
    full = Config(bot_token="xoxb-secret", app_token="xapp-secret", allowed_users="U1")  # type: ignore[arg-type]
    assert full.missing() == ""
    assert "secret" not in repr(full)
    assert full.allowed_users == ("U1",)
