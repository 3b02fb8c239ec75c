"""The manifest in the documents is the one that the code means."""

from pathlib import Path

from channels.slack.config import Config
from channels.slack.manifest import SCOPES, as_yaml
from simulator.slack.world import SCOPES as SIMULATED

FILE = Path(__file__).parents[3] / "docs" / "slack-manifest.yaml"


def test_the_document_is_generated():
    assert FILE.read_text(encoding="utf-8") == as_yaml(), (
        "python -m channels.slack.manifest > docs/slack-manifest.yaml"
    )


def test_the_simulator_grants_what_the_manifest_asks_for():
    assert set(SCOPES) == SIMULATED


def test_tokens_are_missing_one_after_the_other_and_never_shown():
    assert Config().missing() == "bot_token"
    assert Config(bot_token="xoxb-1").missing() == "app_token"
    full = Config(bot_token="xoxb-secret", app_token="xapp-secret", allowed_users="U1")
    assert full.missing() == ""
    assert "secret" not in repr(full)
    assert full.allowed_users == ("U1",)
