"""The section of the configuration."""

import subprocess
import sys

import pytest
from pydantic import ValidationError

from parley.channels.dingtalk.config import Config


def test_it_says_what_it_needs():
    assert Config().missing() == "client_id"
    assert Config(client_id="a").missing() == "client_secret"
    assert Config(client_id="a", client_secret="b").missing() == ""


def test_the_secret_is_not_shown():
    assert "hush" not in repr(Config(client_id="a", client_secret="hush"))


def test_unknown_keys_and_impossible_values_are_refused():
    for wrong in ({"clientid": "x"}, {"card_rate": 41}, {"groups": "both"}, {"max_file_in": 0}):
        with pytest.raises(ValidationError):
            Config(**wrong)


def test_reading_the_section_does_not_import_the_sdk():
    code = "import sys, channels.dingtalk.config; raise SystemExit('dingtalk_stream' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
