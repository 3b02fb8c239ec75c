"""Buckets of lanes: numbers that never change, and fair parts."""

from __future__ import annotations

from collections import Counter

import pytest

from parley.core.model.address import Conversation
from parley.store.buckets import BUCKETS, bucket_of


@pytest.mark.parametrize(
    ("lane", "bucket"),
    # The first bytes that coreutils' sha256sum prints for the same bytes.
    [("", 0xE3), ("web:home", 0x93), ("telegram:-100123:7", 0xDC), ("feishu:猫", 0x98)],
)
def test_a_lane_is_always_of_the_same_bucket(lane: str, bucket: int) -> None:
    assert bucket_of(lane) == bucket


def test_buckets_are_about_as_large_as_each_other() -> None:
    chats = 100_000
    sizes = Counter(bucket_of(Conversation("telegram", str(number)).key) for number in range(chats))
    assert len(sizes) == BUCKETS
    mean = chats / BUCKETS  # by chance alone it would be 1.16 times this in the largest of so many
    assert max(sizes.values()) < 1.3 * mean
    assert min(sizes.values()) > 0.7 * mean


def test_a_lane_that_is_no_valid_unicode_has_a_bucket_too() -> None:
    """The store refuses it later, with a sentence of its own."""
    assert 0 <= bucket_of("web:\ud800") < BUCKETS
