"""Codes by which Feishu says that the app's credentials are wrong, each final."""

import pytest

from parley.channels.feishu.errors import refusal
from parley.core.model.errors import AuthenticationRefused


@pytest.mark.parametrize("code", [10003, 10014, 10015, 1000040345, 1000040346])
@pytest.mark.parametrize("status", [200, 400])
def test_refused_credentials_are_final_whatever_the_status(code, status):
    error = refusal(code, "app_id or app_secret is invalid", status, {})
    assert isinstance(error, AuthenticationRefused)
    assert str(code) in error.user_text
