"""What was heard in a group: the newest messages, each once, within bounds."""

from pathlib import Path

from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.types import InboundMessage
from parley.core.state.heard_messages import (
    MOST_CHARACTERS,
    MOST_MESSAGES,
    HeardRecord,
    decode_heard,
    heard_document_key,
    keep_heard,
)
from parley.store.sqlite import SqliteStore

TEAM = Conversation("test", "team", "7")


def said(name: str, text: str = "", at: float = 1000.0, **more: object) -> InboundMessage:
    values: dict[str, object] = {
        "id": name,
        "conversation": TEAM,
        "sender": User("test", "bob", "Bob", language="de"),
        "text": text or name,
        "addressed": False,
        "private": False,
        "sent_at": at,
    }
    return InboundMessage(**(values | more))  # type: ignore[arg-type]


async def heard(store: SqliteStore) -> HeardRecord:
    return decode_heard(await store.get(heard_document_key(TEAM)))


async def test_messages_are_kept_in_order_and_once(tmp_path: Path) -> None:
    photo = Attachment(AttachmentKind.IMAGE, "a.png", "image/png", 1, "secret handle")
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        for message in (said("a"), said("b", quoted="what?", attachments=(photo,)), said("a")):
            await keep_heard(store, message, 8000, 0.0)
        first, second = (await heard(store)).messages
        assert (first.id, first.text, first.sent_at, first.sender) == (
            "a",
            "a",
            1000.0,
            User("test", "bob", "Bob"),
        )
        assert (second.quoted, second.files) == ("what?", ("a.png",))
        assert "secret" not in (await store.get(heard_document_key(TEAM))).body
        version = (await store.get(heard_document_key(TEAM))).version
        await keep_heard(store, said("a"), 8000, 0.0)
        assert (await store.get(heard_document_key(TEAM))).version == version


async def test_an_edit_changes_its_writers_message_only(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await keep_heard(store, said("a", "wrong"), 8000, 0.0)
        await keep_heard(store, said("a:edit:1", "right", edits="a"), 8000, 0.0)
        await keep_heard(store, said("e2", "forged", edits="a", sender=User("test", "eve")), 8000, 0.0)
        await keep_heard(store, said("e3", "of nothing", edits="gone"), 8000, 0.0)
        assert [(each.id, each.text) for each in (await heard(store)).messages] == [("a", "right")]


async def test_no_text_and_no_id_reaches_beyond_its_line(tmp_path: Path) -> None:
    hostile = ('a","x":"', "a\n{}", "\u2028", "\\", '{"id":"a",')
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        for words in hostile:
            await keep_heard(store, said(words, sender=User("test", words, words)), 8000, 0.0)
        kept = (await heard(store)).messages
        assert [(each.id, each.text, each.sender.id) for each in kept] == [(each,) * 3 for each in hostile]


async def test_a_record_stays_within_its_bounds(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await keep_heard(store, said("long", "x" * 50_000), 8000, 0.0)
        assert len((await heard(store)).messages[0].text) == MOST_CHARACTERS
        for number in range(MOST_MESSAGES + 5):
            await keep_heard(store, said(str(number)), 80_000, 0.0)
        kept = (await heard(store)).messages
        assert [each.id for each in kept] == [str(number) for number in range(5, MOST_MESSAGES + 5)]
        await keep_heard(store, said("much", "y" * 7_990), 4000, 0.0)
        assert [each.id for each in (await heard(store)).messages] == ["much"]
        await keep_heard(store, said("later", at=5000.0), 8000, 4000.0)
        assert [each.id for each in (await heard(store)).messages] == ["later"]


def test_an_unknown_record_is_empty_and_a_persons_share_goes() -> None:
    record = HeardRecord()
    assert record.without(lambda user: True) == record
