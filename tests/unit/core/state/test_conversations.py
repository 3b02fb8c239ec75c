"""Whose words a conversation's record has."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from parley.core.model.address import Conversation, User
from parley.core.model.types import InboundMessage
from parley.core.state.conversations import ConversationRecord, authors_of

_KEPT = 3


def _message(person: str, text: str, *, private: bool) -> InboundMessage:
    place, sender = Conversation("test", "c"), User("test", person)
    return InboundMessage("m", place, sender, text, addressed=True, private=private, sent_at=1.0)


def _after(record: ConversationRecord, person: str, text: str, *, private: bool) -> ConversationRecord:
    said, title = (*record.said, text)[-_KEPT:], record.title or text
    authors = authors_of(record, title, said, [_message(person, text, private=private)])
    return replace(record, title=title, said=said, **authors)


def _whole(record: ConversationRecord) -> tuple[tuple[str, ...], ...]:
    return record.voices or ((record.owner,),) * (len(record.said) + 1)


def test_a_private_conversation_names_its_owner_once() -> None:
    record = ConversationRecord()
    for text in ("one", "two", "three", "four"):
        record = _after(record, "ann", text, private=True)
    assert (record.owner, record.voices, record.said) == ("test:ann", (), ("two", "three", "four"))


def test_a_record_with_its_owner_written_out_becomes_short() -> None:
    ann = ("test:ann",)
    written_out = ConversationRecord(owner="test:ann", title="one", said=("one",), voices=(ann, ann))
    assert _after(written_out, "ann", "two", private=True).voices == ()


def test_words_that_nobody_noted_are_nobodys_in_a_group() -> None:
    unnoted = ConversationRecord(title="one", said=("one",))
    after = _after(unnoted, "ann", "two", private=False)
    assert len(after.voices) != len(after.said) + 1, "an erasure of anybody takes them too"


@given(st.booleans(), st.lists(st.sampled_from(["ann", "bob"]), min_size=1, max_size=8))
def test_each_word_has_its_author_whoever_writes(private: bool, people: list[str]) -> None:
    record = ConversationRecord()
    for number, person in enumerate(people):
        record = _after(record, person, str(number), private=private)
    titled, *voices = _whole(record)
    assert titled == (f"test:{people[0]}",)
    assert voices == [(f"test:{people[int(text)]}",) for text in record.said]
