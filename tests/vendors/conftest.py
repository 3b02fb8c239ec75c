"""What all of these tests need."""

from __future__ import annotations

import pytest

from tests.vendors.node_bot import SDKS


@pytest.fixture(scope="session", autouse=True)
def vendors_sdks() -> None:
    """Say what is missing, before each test says it in its own way."""
    assert (SDKS / "node_modules").is_dir(), f"the vendors' SDKs are not in {SDKS}: run make vendors"
