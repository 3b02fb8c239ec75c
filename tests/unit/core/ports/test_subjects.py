"""Whom a kept text is about, as the index of persons finds it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.core.model.address import Conversation, User, account_key
from parley.core.model.codec import encode
from parley.core.model.types import InboundMessage
from parley.core.ports.subjects import item_subjects, subject_number

HOSTILE = st.text() | st.sampled_from(['"', "\\", '"voices":[', '","id":"U2', '\\","account":"x'])
IDS = st.text(min_size=1) | HOSTILE.filter(bool)
MESSAGES = st.builds(
    InboundMessage,
    conversation=st.builds(Conversation, channel=st.just("slack"), chat=IDS, topic=st.none() | IDS),
    sender=st.builds(User, channel=st.just("slack"), id=IDS, name=HOSTILE),
    text=HOSTILE,
)


@given(MESSAGES)
def test_a_message_is_found_by_its_sender_and_its_conversation(message: InboundMessage) -> None:
    found = item_subjects("lane", encode(message))
    assert subject_number(account_key(message.sender)) in found
    assert subject_number(message.conversation.key) in found


@given(MESSAGES)
def test_words_that_look_like_names_name_nobody(message: InboundMessage) -> None:
    named = {"lane", account_key(message.sender), message.conversation.key}
    assert set(item_subjects("lane", encode(message))) <= set(map(subject_number, named))


@pytest.mark.parametrize(
    "body",
    ['"voices":[', '"voices":[oops]', '"voices":[' + "[" * 100_000, r'"account":"\x"', r'"asker":"\u12"'],
)
def test_a_body_that_only_looks_like_ours_is_kept_all_the_same(body: str) -> None:
    assert subject_number("lane") in item_subjects("lane", body)
