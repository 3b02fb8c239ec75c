"""Stored times: UTC, ending in Z, sorting as text; whatever was given."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.model.timestamps import format_timestamp, normalise_timestamp


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -math.inf, 1e30, -1e30])
def test_a_time_that_no_calendar_holds_is_none(seconds):
    assert format_timestamp(seconds) == ""


@pytest.mark.parametrize(
    "text", ["", "soon", "9999-99-99", "0001-01-01T00:00+23:59", "9999-12-31T23:59-23:59"]
)
def test_a_text_that_is_no_time_is_none(text):
    assert normalise_timestamp(text) == ""


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_times_sort_as_texts(one, other):
    assert (format_timestamp(one) <= format_timestamp(other)) == (round(one, 6) <= round(other, 6))
    assert normalise_timestamp(format_timestamp(one)) == format_timestamp(one)
