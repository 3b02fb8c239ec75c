"""The feedback section: what would only fail when somebody presses a thumb is named at the start."""

from __future__ import annotations

import pytest

from tests.kit.settings_reading import mistakes

KEY = "letters, digits and signs of ASCII"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("langsmith: {api_key: 'lsv2 key'}", KEY),
        ("langfuse: {public_key: pk, secret_key: schlüssel}", KEY),
        ("langfuse: {public_key: pk}", "needs both public_key and secret_key"),
        ("webhook: {url: 'https://example.com/hook', secret: short}", "5 bytes, 24 at least"),
        ("webhook: {url: 'https://example.com/hook', secret: whsec_dG9vIHNob3J0}", "9 bytes, 24 at least"),
        (
            "webhook: {url: 'https://example.com/hook', secret: 'whsec_%%%not-base64%%%%%%%%%%'}",
            "openssl rand",
        ),
        ("webhook: {url: 'https://'}", "an address with a host"),
        ("webhook: {url: 'http://[::/hook'}", "an address with a host"),
        ("webhook: {url: 'http://example.com:port/hook'}", "an address with a host"),
        ("langfuse: {url: 'cloud.langfuse.com'}", "must start with http:// or https://"),
    ],
)
def test_a_mistake_is_named_at_the_start(lines: str, said: str) -> None:
    (found,) = mistakes(f"feedback:\n  {lines}\n")
    assert said in found
    assert "secret_key: schl" not in found


@pytest.mark.parametrize(
    "lines",
    [
        "langsmith: {api_key: lsv2_pt_0123456789abcdef_0123456789}",
        "langfuse: {url: 'http://10.0.0.7:3000', public_key: pk-lf-1, secret_key: sk-lf-1}",
        "webhook: {url: 'http://[::1]:8080/hook', secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}",
        "webhook: {url: 'https://example.com/hook', secret: 0123456789abcdef0123456789abcdef}",
    ],
)
def test_services_anywhere_are_taken_also_in_a_network_of_ones_own(lines: str) -> None:
    assert mistakes(f"feedback:\n  {lines}\n") == []
