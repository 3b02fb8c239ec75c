"""The proxy of the environment, for each address that is called."""

from __future__ import annotations

import pytest

from parley.core.network import is_loopback, proxy_for, split_credentials

PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize("scheme", ["http", "https", "ws", "wss"])
@pytest.mark.parametrize("host", ["127.0.0.1:1", "[::1]:1", "localhost:1", "127.9.9.9", "parley.localhost"])
def test_this_machine_needs_none(scheme: str, host: str) -> None:
    assert proxy_for(f"{scheme}://{host}", {"http": PROXY, "https": PROXY, "all": PROXY}) == ""


@pytest.mark.parametrize(
    ("url", "proxies", "expected"),
    [
        ("https://far.example", {"https": PROXY}, PROXY),
        ("http://far.example", {"https": PROXY}, ""),
        ("wss://far.example", {"https": PROXY}, PROXY),
        ("ws://far.example", {"http": PROXY}, PROXY),
        ("wss://far.example", {"http": PROXY}, ""),
        ("wss://far.example", {"wss": PROXY, "https": "http://other.example"}, PROXY),
        ("https://far.example", {"all": PROXY}, PROXY),
        ("https://far.example", {"https": "proxy.example:3128"}, PROXY),
        (
            "https://far.example",
            {"https": "http://me:se%40cret@proxy.example"},
            "http://me:se%40cret@proxy.example",
        ),
        ("https://far.example", {"all": "socks5://proxy.example:1080"}, ""),
        ("https://far.example", {"https": "socks5://proxy.example:1080", "all": PROXY}, PROXY),
        ("https://far.example", {"https": "http://proxy.example:port"}, ""),
        ("https://far.example", {"https": "http://[proxy"}, ""),
        ("https://far.example", {"https": ""}, ""),
        ("https://far.example", {}, ""),
    ],
)
def test_it_is_the_one_of_the_scheme(url: str, proxies: dict[str, str], expected: str) -> None:
    assert proxy_for(url, proxies) == expected


def test_what_no_proxy_names_is_called_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", PROXY)
    monkeypatch.setenv("no_proxy", "near.example")
    assert proxy_for("wss://gateway.near.example") == ""
    assert proxy_for("wss://far.example") == PROXY


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("localhost.example", False),
    ],
)
def test_which_hosts_are_this_machine(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://agent.example:8000/api", ("http://agent.example:8000/api", "")),
        (
            "http://anna:pa%40ss%3A1@agent.example:8000/api?x=1",
            ("http://agent.example:8000/api?x=1", "anna:pa@ss:1"),
        ),
        ("http://anna@agent.example", ("http://agent.example", "anna:")),
        ("http://an@na:secret@agent.example", ("http://agent.example", "an@na:secret")),
        ("http://anna:secret@[::1]:8000", ("http://[::1]:8000", "anna:secret")),
        ("http://agent.example/a@b", ("http://agent.example/a@b", "")),
        ("http://[agent", ("http://[agent", "")),
        ("", ("", "")),
    ],
)
def test_a_user_and_a_password_are_told_from_the_address(url: str, expected: tuple[str, str]) -> None:
    assert split_credentials(url) == expected
