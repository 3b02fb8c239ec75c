"""The section of the configuration."""

import subprocess
import sys

import pytest
from pydantic import ValidationError

from parley.channels.telegram.config import Config


def test_without_a_token_the_channel_says_what_it_needs():
    assert Config().missing() == "bot_token"
    assert Config(bot_token="1:a").missing() == ""


def test_user_ids_may_be_numbers_or_a_single_one():
    assert Config(allowed_users=[5, "*"]).allowed_users == ("5", "*")  # type: ignore[arg-type]
    assert Config(allowed_users=5).allowed_users == ("5",)  # type: ignore[arg-type]
    assert Config().allowed_users == ()


def test_unknown_keys_and_impossible_numbers_are_refused():
    for wrong in ({"bot_tokn": "x"}, {"poll_timeout": 60}, {"max_file_in": 0}):
        with pytest.raises(ValidationError):
            Config(**wrong)


@pytest.mark.parametrize(
    "url",
    ["x", "http://a.b/hooks/telegram", "https:///hooks/telegram", "https://[/hooks/telegram", "https://a.b/"],
)
def test_a_webhook_that_telegram_could_not_post_to_is_refused_with_an_example(url):
    with pytest.raises(ValidationError, match=r"https://your\.host/hooks/telegram"):
        Config(webhook_url=url)


def test_a_webhook_may_stand_below_a_prefix_and_with_a_server_of_ones_own_be_plain():
    assert Config(webhook_url="https://a.b/parley/hooks/telegram").webhook_url
    assert Config(api_url="http://bots:8081", webhook_url="http://parley:8321/hooks/telegram").webhook_url


@pytest.mark.parametrize("secret", ["short", "with spaces in between", "ünïcode-is-not-taken", "x" * 257])
def test_a_secret_that_can_be_guessed_or_not_be_sent_is_refused_and_not_repeated(secret):
    with pytest.raises(ValidationError, match="16 to 256 letters"):
        Config(webhook_secret=secret)


def test_reading_the_section_does_not_import_the_sdk():
    code = "import sys, channels.telegram.config; raise SystemExit('telegram' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
