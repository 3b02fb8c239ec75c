"""Broken promises say what they saw, as broken tests do."""

import pytest

pytest.register_assert_rewrite("tests.contract.promises")
