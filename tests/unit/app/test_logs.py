"""The log is one line a record, and keeps secrets."""

import logging

from app.logs import SecretlessFormatter, secrets_in
from tests.unit.app.reading import settings


def record(text, *args, error=None):
    trouble = (type(error), error, None) if error else None
    return logging.LogRecord("parley.x", logging.INFO, __file__, 1, text, args, trouble)


def test_secrets_of_every_section_are_known():
    text = """\
    agent: {api_key: agent-secret, headers: {X-Auth: header-secret}, url: http://plain-address}
    console: {token: console-secret}
    channels: {telegram: {bot_token: telegram-secret, allowed_users: [plain-user]}}
    """
    assert secrets_in(settings(text).settings) == {
        "agent-secret",
        "header-secret",
        "console-secret",
        "telegram-secret",
    }


def test_a_secret_is_not_shown_even_inside_an_address():
    line = SecretlessFormatter(frozenset({"123:ABC"})).format(
        record("GET %s", "https://api/bot123:ABC/getMe")
    )
    assert line.endswith("GET https://api/bot***/getMe")


def test_a_secret_is_not_shown_in_a_trace():
    text = SecretlessFormatter(frozenset({"s3cret"})).format(record("failed", error=ValueError("bad s3cret")))
    assert "s3cret" not in text


def test_a_record_with_line_breaks_is_one_line():
    assert "\n" not in SecretlessFormatter(frozenset()).format(record("two\nlines\r"))
