"""What was heard in groups goes with its time, and with the person."""

from __future__ import annotations

from pathlib import Path

from parley.core.model.address import Conversation, User
from parley.core.model.options import ChannelOptions, ChatOptions, ContextOptions, ContextScope
from parley.core.model.types import InboundMessage, SessionSettings
from parley.core.privacy.data_subject import DataSubject
from parley.core.privacy.heard import delete_old_heard, erase_heard, list_heard
from parley.core.state.heard_messages import HEARD_PREFIX, decode_heard, keep_heard
from parley.store.sqlite import SqliteStore

ANN, BOB = User("test", "ann", "Ann"), User("test", "bob", "Bob")
SUBJECT = DataSubject("test:ann", ("test:ann", "other:ann"))
CHANNELS = {
    "test": ChannelOptions(
        SessionSettings("agent"),
        earlier=ContextOptions(ContextScope.THREAD, age=100.0),
        chats={"off": ChatOptions(earlier={"scope": ContextScope.OFF})},
    )
}


async def keep(store: SqliteStore, chat: str, text: str, by: User = ANN, at: float = 1000.0) -> None:
    place = Conversation("test", chat)
    said = InboundMessage(text, place, by, text, addressed=False, private=False, sent_at=at)
    await keep_heard(store, said, 8000, 0.0)


async def kept(store: SqliteStore) -> dict[str, list[str]]:
    found = await store.list(HEARD_PREFIX)
    return {
        each.key.removeprefix(HEARD_PREFIX): [said.text for said in decode_heard(each).messages]
        for each in found
    }


async def test_a_persons_share_is_listed_and_goes(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await keep(store, "one", "hers")
        await keep(store, "one", "his", BOB)
        await keep(store, "two", "hers, too")
        listed = [(place, said.text) async for place, said in list_heard(store, SUBJECT)]
        assert listed == [("test:one", "hers"), ("test:two", "hers, too")]
        assert await erase_heard(store, SUBJECT) == 2
        assert await kept(store) == {"test:one": ["his"], "test:two": []}
        assert await erase_heard(store, SUBJECT) == 0


async def test_what_is_past_its_time_goes_and_where_it_is_off_all(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await keep(store, "both", "old", at=899.0)
        await keep(store, "both", "young")
        await keep(store, "over", "old", at=899.0)
        await keep(store, "off", "young")
        assert await delete_old_heard(store, CHANNELS, 1000.0) == 3
        assert await kept(store) == {"test:both": ["young"]}
        assert await delete_old_heard(store, CHANNELS, 1000.0) == 0
        assert await delete_old_heard(store, {}, 1000.0) == 1
        assert await kept(store) == {}
