"""Where people sign in: HTTPS, this machine, what the operator allowed, and nothing that misleads."""

from __future__ import annotations

import httpx
import pytest
from mcp.shared.auth import OAuthMetadata
from pydantic import ValidationError

from parley.server.accounts.sign_in_addresses import (
    SignInAddressRefused,
    check_sign_in_address,
    origin_of,
    read_origin,
)

DESK, HERE = "https://desk.example/mcp", "http://127.0.0.1:8000/mcp"
INTRANET = ("http://login.intranet:8080", "http://[fd00::1]")


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("https://login.example/authorize?state=s", DESK),
        ("https://login.example:8443/authorize", DESK),
        ("https://xn--pple-43d.com/authorize", DESK),
        ("https://10.0.0.7/authorize", "http://10.0.0.8/mcp"),
        ("http://127.0.0.1:9000/authorize", HERE),
        ("http://localhost/authorize", "http://[::1]:8000/mcp"),
        ("http://login.intranet:8080/authorize?state=s", DESK),
        ("http://LOGIN.intranet:8080", DESK),
        ("http://[fd00::1]:80/authorize", DESK),
    ],
)
def test_people_are_sent_to_https_to_this_machine_and_to_what_is_allowed(url: str, server: str) -> None:
    check_sign_in_address(url, server, INTRANET)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://login.example/authorize", "http://login.example"),
        ("http://login.intranet/authorize", "http://login.intranet"),
        ("http://login.intranet:8081/authorize", "http://login.intranet:8081"),
        ("http://login.intranet.evil.example:8080/", "http://login.intranet.evil.example:8080"),
        ("http://localhost.evil.example/", "http://localhost.evil.example"),
        # A server elsewhere may not have people's browsers ask what runs on their own machine.
        ("http://127.0.0.1:631/admin", "http://127.0.0.1:631"),
        ("http://localhost/", "http://localhost"),
        # Browsers take these for 127.0.0.1.
        ("http://2130706433/", "http://2130706433"),
        ("http://127.1/", "http://127.1"),
    ],
)
def test_plain_http_elsewhere_is_refused_and_could_be_allowed(url: str, origin: str) -> None:
    with pytest.raises(SignInAddressRefused, match="not HTTPS") as refused:
        check_sign_in_address(url, DESK, INTRANET)
    assert (refused.value.origin, refused.value.allowable) == (origin, True)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)//?state=s",
        "JavaScript://login.example/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "intent://scan/#Intent;scheme=zxing;end",
        "//login.example/",
        "https:///authorize",
        "https://login.example@evil.example/",
        "https://user:secret@login.example/",
        "http://login.intranet:8080@evil.example/",
        "https://evil.example\\@login.example/",
        "https://evil.example\\.login.example/",
        "https://login.example/\r\nset-cookie: a=b",
        "https://login.example/ x",
        "https://login.example:0/",
        "https://login.example:99999/",
        "https://login.example:x/",
        "https://login.example\uff0fevil.example/",
        "https://\u0430pple.com/authorize",
        "http://\uff11\uff12\uff17.0.0.1/",
        "https://login.example/" + "a" * 8_000,
        "",
    ],
)
def test_what_browsers_might_read_otherwise_is_refused_and_cannot_be_allowed(url: str) -> None:
    with pytest.raises(SignInAddressRefused) as refused:
        check_sign_in_address(url, HERE, INTRANET)
    assert not refused.value.allowable
    assert "secret" not in f"{refused.value} {refused.value.origin}"


@pytest.mark.parametrize(
    ("written", "origin"),
    [
        ("https://\u0430pple.com/authorize", "https://xn--pple-43d.com"),
        ("https://evil.example\\@login.example/", "https://evil.example"),
        ("https://LOGIN.example:443/", "https://login.example"),
    ],
)
def test_the_sdk_hands_on_an_address_as_browsers_read_it(written: str, origin: str) -> None:
    """The witness: its `OAuthMetadata` reads addresses by the rules of browsers (WHATWG)."""
    metadata = {"issuer": "https://a.example", "token_endpoint": "https://a.example/token"}
    found = OAuthMetadata.model_validate(metadata | {"authorization_endpoint": written})
    check_sign_in_address(str(found.authorization_endpoint), DESK)
    assert origin_of(httpx.URL(str(found.authorization_endpoint))) == origin


def test_the_sdk_takes_no_other_schemes() -> None:
    with pytest.raises(ValidationError):
        OAuthMetadata.model_validate(
            {
                "issuer": "https://a.example",
                "token_endpoint": "https://a.example/token",
                "authorization_endpoint": "javascript:alert(1)",
            }
        )


@pytest.mark.parametrize(
    "text", ["login.intranet", "http://", "http://a/path", "http://a?", "http://u@a", "ftp://a", "http://a:0"]
)
def test_what_is_no_origin_cannot_be_allowed(text: str) -> None:
    with pytest.raises(ValueError, match=r"origin|address|port|signs"):
        read_origin(text)
