"""The section of the configuration, and what it costs to have the channel on."""

import subprocess
import sys

import pytest
from pydantic import ValidationError

from parley.channels.feishu.config import Config


def test_without_credentials_the_channel_says_what_it_needs():
    assert Config().missing() == "app_id"
    assert Config(app_id="cli_1").missing() == "app_secret"
    assert Config(app_id="cli_1", app_secret="s").missing() == ""


def test_both_platforms_have_a_name_and_other_addresses_are_taken_as_they_are():
    assert Config().domain == "https://open.feishu.cn"
    assert Config(domain="feishu").domain == "https://open.feishu.cn"
    assert Config(domain="Lark").domain == "https://open.larksuite.com"
    assert Config(domain="https://open.larksuite.com/").domain == "https://open.larksuite.com"


def test_everybody_of_the_tenant_may_talk_until_somebody_is_named():
    assert Config().allowed_users == ("*",)
    assert Config(allowed_users=[]).allowed_users == ()  # type: ignore[arg-type]
    assert Config(allowed_users="ou_1").allowed_users == ("ou_1",)  # type: ignore[arg-type]


def test_unknown_keys_and_impossible_values_are_refused():
    for wrong in ({"app_key": "x"}, {"domain": "slack"}, {"max_file_in": 0}):
        with pytest.raises(ValidationError):
            Config(**wrong)


def test_the_secret_is_not_shown():
    assert "hidden" not in repr(Config(app_secret="hidden"))


def test_reading_the_section_does_not_import_the_sdk():
    code = "import sys, channels.feishu.config; raise SystemExit(any('lark' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
