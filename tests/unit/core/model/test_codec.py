"""What the store keeps of a value is the value."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.codec import decode, encode
from parley.core.model.questions import AnswerKind, InterruptAnswer, Question
from parley.core.model.types import InboundMessage, Outcome
from parley.core.state.turn_record import TurnRecord, TurnStage

users = st.builds(User)
conversations = st.builds(Conversation)
messages = st.builds(
    InboundMessage,
    conversation=conversations,
    sender=users,
    sent_at=st.floats(allow_nan=False),
    attachments=st.tuples(st.builds(Attachment)),
)
records = st.builds(TurnRecord, questions=st.tuples(st.builds(Question)), items=st.tuples(st.integers()))


@given(messages)
def test_messages_come_back_as_they_were(message: InboundMessage) -> None:
    assert decode(InboundMessage, encode(message)) == message


@given(records)
def test_records_come_back_as_they_were(record: TurnRecord) -> None:
    assert decode(TurnRecord, encode(record)) == record


def test_newer_and_older_versions_read_each_other() -> None:
    record = decode(TurnRecord, '{"stage": "answered", "outcome": "empty", "invented_later": {"a": 1}}')
    assert record == TurnRecord(stage=TurnStage.ANSWERED, outcome=Outcome.EMPTY)


def test_answers_of_a_version_that_told_no_kinds_are_words() -> None:
    record = decode(TurnRecord, '{"answers": [{"question": "i1", "text": "approve"}]}')
    assert record.answers == (InterruptAnswer("i1", "approve", AnswerKind.WORDS),)


def test_files_of_a_version_without_voices_are_no_voices() -> None:
    file = Attachment(AttachmentKind.AUDIO, "a.ogg", "audio/ogg", 3, "handle")
    assert encode(file) == '{"kind":"audio","name":"a.ogg","mime":"audio/ogg","size":3,"handle":"handle"}'
    assert decode(Attachment, encode(file)) == file
    spoken = replace(file, voice=True, transcript="hello")
    assert decode(Attachment, encode(spoken)) == spoken


RUBBISH = ["", "[]", "null", '"text"', '{"stage": "no such stage"}', '{"items": 3}', "[" * 100_000]


@pytest.mark.parametrize("text", RUBBISH, ids=lambda text: text[:30])
def test_rubbish_is_refused_with_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - JSON errors are value errors too
        decode(TurnRecord, text)


@given(st.text(), st.text(), st.none() | st.text())
def test_a_conversation_key_round_trips(channel: str, chat: str, topic: str | None) -> None:
    conversation = Conversation(channel, chat, topic)
    assert Conversation.parse(conversation.key) == conversation
