"""The log is one line a record, and keeps secrets."""

import logging

from parley.app.process.logs import SecretlessFormatter, find_secrets
from tests.kit.settings_reading import settings


def record(text, *args, error=None):
    trouble = (type(error), error, None) if error else None
    return logging.LogRecord("parley.x", logging.INFO, __file__, 1, text, args, trouble)


def test_secrets_of_every_section_are_known():
    text = """\
    agent: {api_key: agent-secret, headers: {X-Auth: header-secret}, url: http://plain-address}
    console: {token: console-secret}
    channels: {telegram: {bot_token: telegram-secret, allowed_users: [plain-user]}}
    """
    assert find_secrets(settings(text).settings) == {
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


def test_no_control_character_reaches_a_terminal():
    said = "a\x1b[2Jb\x07c\x85d\u2028e\u202ef\x9bg\x7fh\ti"
    formatter = SecretlessFormatter(frozenset())
    line = formatter.format(record("the agent said: %s", said))
    assert line.endswith(r"a\x1b[2Jb\x07c\x85d\u2028e\u202ef\x9bg\x7fh" + "\ti")
    trace = formatter.format(record("failed", error=ValueError(said + "\nforged line"))).split("\n", 1)[1]
    assert all(sign.isprintable() or sign in "\n\t" for sign in trace)
    assert "\n    forged line" in trace


def test_a_part_of_a_header_is_a_secret_too():
    text = """\
    agent: {headers: {Authorization: "Bearer abc.DEF-123", X-Sign: 'key="k3y-k3y", user=ann-the-admin'}}
    """
    secrets = find_secrets(settings(text).settings)
    formatter = SecretlessFormatter(secrets)
    for said in ("Bearer abc.DEF-123", "refused: abc.DEF-123", "not k3y-k3y", "hello ann-the-admin"):
        assert formatter.format(record("%s", said)).endswith("***")
    assert "no Bearer token" in formatter.format(record("no Bearer token"))


def test_the_password_in_an_address_is_a_secret_however_it_is_written():
    text = """\
    store: {url: "postgresql://ann:p%40ss-word@db:5432/parley", listen_url: "postgresql://ann:x@db/parley"}
    agent: {url: "http://ann:agent%2Dpass%2Fword@host"}
    """
    secrets = find_secrets(settings(text).settings)
    formatter = SecretlessFormatter(secrets)
    for said in (
        "connecting to postgresql://ann:p%40ss-word@db:5432/parley",
        "connecting to postgresql://ann:x@db/parley",
        'FATAL: p%40ss-word is not the password, nor is "p@ss-word"',
        "http://ann:agent-pass%2Fword@host/runs",
        "401 for ann and agent-pass/word",
    ):
        line = formatter.format(record("%s", said))
        assert "***" in line
        assert not any(part in line for part in ("ss-word", ":x@", "agent-pass"))


def test_an_address_without_a_password_is_shown():
    text = "store: {url: 'postgresql://db:5432/parley?sslmode=require'}\n"
    assert find_secrets(settings(text).settings) == frozenset()


def test_a_password_beside_the_address_is_a_secret():
    text = "store: {url: 'postgresql://db:5432/parley?user=ann&password=beside-it'}\n"
    assert "beside-it" in find_secrets(settings(text).settings)
