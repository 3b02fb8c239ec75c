"""Strangers are let in by a code, once, by those who may; and nothing else answers them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.codec import encode
from parley.core.model.command_syntax import COMMAND_NAMES
from parley.core.model.errors import StoreUnavailable
from parley.core.model.options import CoreOptions
from parley.core.model.queues import command_queue
from parley.core.ports.journal import Document
from parley.core.ports.pubsub import NULL_NOTIFIER
from parley.core.state.paired_accounts import PairedAccount, PairedAccounts
from parley.core.state.pairing import CODES_OF_ONE, Pairing, plain_name
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.core import Core, ScriptedAgent, core, default_options
from tests.kit.doubles.kept_documents import KeptDocuments
from tests.kit.samples.questions import MAIL, asking, click, keys, with_buttons
from tests.kit.waiting import until

EVE, BOB = User("test", "eve", "Eve"), User("test", "bob", "Bob")
ADMIN = "test:ann"


class Dying:
    """Documents of a process that dies at its `writes`-th write."""

    def __init__(self, store: SqliteStore, writes: int) -> None:
        self._store = store
        self._left = writes
        self.get, self.list = store.get, store.list

    async def set(self, document: Document) -> Document:
        self._count()
        return await self._store.set(document)

    async def delete(self, key: str) -> None:
        self._count()
        await self._store.delete(key)

    def _count(self) -> None:
        if self._left == 0:
            raise StoreUnavailable("gone")
        self._left -= 1


def pairs(**changes: object) -> CoreOptions:
    """Options of a channel whose one administrator is Ann, and where nobody is listed."""
    options = default_options()
    values: dict[str, object] = {"pairing": True, "allowed_users": frozenset(), "admins": frozenset({"ann"})}
    channel = replace(options.channels["test"], **values | changes)  # type: ignore[arg-type]
    return replace(options, channels={"test": channel})


async def accounts(pairing: Pairing) -> list[str]:
    return [each.account async for each in pairing.accounts()]


async def asks(pairing: Pairing) -> list[str]:
    return [each.account async for each in pairing.requests()]


def code_in(text: str) -> str:
    return text.split("`")[1]


async def test_a_code_lets_in_once_whoever_asked_and_is_kept_as_a_digest(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        pairing = Pairing(store, lambda: 100.0)
        code = await pairing.ask(EVE)
        assert code is not None
        kept = await store.list("")
        assert kept
        assert not [each for each in kept if code in each.key + each.body]
        assert await pairing.approve(code.lower()[:4] + " " + code[4:], ADMIN) is not None
        assert "test:eve" in pairing
        assert await asks(pairing) == []
        assert await pairing.revoke("test:eve")
        assert "test:eve" not in pairing
        assert await pairing.approve(code, ADMIN) is None
        assert not await pairing.revoke("test:eve")


async def test_a_code_is_good_for_ten_minutes_and_until_the_next_one(tmp_path: Path) -> None:
    now = [1000.0]
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        pairing = Pairing(store, lambda: now[0])
        first, second = await pairing.ask(EVE), await pairing.ask(EVE)
        assert first
        assert second
        assert await pairing.approve(first, ADMIN) is None
        now[0] += 601
        assert await asks(pairing) == []
        assert await pairing.approve(second, ADMIN) is None
        now[0] += 3600
        await pairing.sweep()
        assert not await store.list("pairing/")
        assert await accounts(pairing) == []


async def test_nobody_gets_many_codes_and_nobody_uses_up_those_of_others(tmp_path: Path) -> None:
    now = [1000.0]
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        pairing = Pairing(store, lambda: now[0])
        for number in range(40):
            crowd = User("test", f"crowd-{number}")
            codes = [await pairing.ask(crowd) for _ in range(CODES_OF_ONE + 2)]
            assert [code is not None for code in codes] == [True] * CODES_OF_ONE + [False] * 2
        code = await pairing.ask(EVE)
        assert code
        assert await pairing.approve(code, ADMIN)
        assert await pairing.ask(User("test", "crowd-0")) is None
        now[0] += 3601
        assert await pairing.ask(User("test", "crowd-0"))


async def test_open_requests_have_a_bound_and_the_newest_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parley.core.state.pairing.OPEN_REQUESTS", 20)
    now, most = [1000.0], 0
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        pairing = Pairing(store, lambda: now[0])
        first = await pairing.ask(BOB)
        for number in range(95):
            now[0] += 0.1
            assert await pairing.ask(User("test", f"crowd-{number}"))
            most = max(most, len(await store.list("pairing/request/")))
        code = await pairing.ask(EVE)
        assert first
        assert code
        assert most <= 20
        assert await pairing.approve(first, ADMIN) is None
        assert await pairing.approve(code, ADMIN)
        assert "test:crowd-94" in await asks(pairing)
        now[0] += 601  # those that are too old go first
        for number in range(95, 110):
            assert await pairing.ask(User("test", f"crowd-{number}"))
        assert len(await asks(pairing)) == 15


async def test_an_approval_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    for writes in range(2):
        async with SqliteStore.open(tmp_path / f"{writes}.db") as store:
            pairing = Pairing(store, lambda: 100.0)
            code = await pairing.ask(EVE)
            assert code
            with pytest.raises(StoreUnavailable):
                await Pairing(Dying(store, writes), lambda: 100.0).approve(code, ADMIN)
            again = Pairing(store, lambda: 100.0)
            await again.load()
            assert ("test:eve" in again) is (writes == 1)
            if writes:
                assert await again.approve(code, "test:other") is None
            for _ in range(2):
                paired = await again.approve(code, ADMIN)
                assert paired is not None
                assert (paired.account, paired.by) == ("test:eve", ADMIN)
            assert await accounts(again) == ["test:eve"]


async def test_a_revocation_that_was_cut_off_leaves_no_way_back(tmp_path: Path) -> None:
    for writes in range(3):
        async with SqliteStore.open(tmp_path / f"{writes}.db") as store:
            pairing = Pairing(store, lambda: 100.0)
            code = await pairing.ask(EVE)
            assert code
            with suppress(StoreUnavailable):
                await Pairing(Dying(store, 1), lambda: 100.0).approve(code, ADMIN)
            with suppress(StoreUnavailable):
                await Pairing(Dying(store, writes), lambda: 100.0).revoke("test:eve")
            await pairing.revoke("test:eve")
            assert await pairing.approve(code, ADMIN) is None
            assert "test:eve" not in pairing


async def test_of_two_administrators_at_once_one_lets_in(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        pairing = Pairing(store, lambda: 100.0)
        code = await pairing.ask(EVE)
        assert code
        found = await asyncio.gather(*(pairing.approve(code, f"test:{n}") for n in range(20)))
        assert sum(each is not None for each in found) == 1


async def test_another_node_learns_of_it_by_itself(tmp_path: Path) -> None:
    async with (
        SqliteStore.open(tmp_path / "parley.db", node="a", exclusive=False) as one,
        SqliteStore.open(tmp_path / "parley.db", node="b", exclusive=False) as two,
    ):
        here, there = Pairing(one, lambda: 100.0), Pairing(two, lambda: 100.0)
        following = asyncio.create_task(there.follow(0.01))
        try:
            code = await here.ask(EVE)
            assert code
            await here.approve(code, ADMIN)
            await until(lambda: "test:eve" in there, "she is let in there, too")
            await here.revoke("test:eve")
            await until(lambda: "test:eve" not in there, "she is let in no more")
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


def test_a_strangers_name_cannot_look_like_our_words() -> None:
    assert plain_name(User("test", "1", "Ann `test:2`\n[x](http://a) \x1b[31m**O'Neil-Ün**")) == (
        "Ann test 2 x http a 31m O'Neil-Ün"
    )
    assert len(plain_name(User("test", "1", "a" * 500))) == 60


async def test_a_stranger_asks_an_administrator_approves_and_it_can_be_taken_back(tmp_path: Path) -> None:
    async with core(tmp_path, options=pairs()) as parley:
        await parley.say("hi", sender=EVE)
        await parley.say("hi again", sender=EVE)
        await parley.say("/pair", sender=EVE)
        refusal, offered = await parley.channel.until_finals(2)
        assert "`/pair`" in refusal
        await parley.say(f"/pair {code_in(offered)}", sender=EVE)
        await parley.say(f"/pair {code_in(offered)}", conversation=Conversation("test", "ann's"))
        approved = (await parley.channel.until_finals(3))[2]
        assert "Eve now has access" in approved
        assert "test:eve" in approved
        await parley.say("hi", sender=EVE)
        assert (await parley.channel.until_finals(4))[3] == "you said hi"
        await parley.say(f"/pair {code_in(offered)}", sender=EVE)
        assert "Only an administrator" in (await parley.channel.until_finals(5))[4]
        await parley.services.pairing.revoke("test:eve")
        await parley.say("hi", sender=EVE)
        await parley.say("/help", conversation=Conversation("test", "ann's"))
        assert "`/pair`" in (await parley.channel.until_finals(6))[5]
        assert len(parley.agent.requests) == 1


async def test_codes_are_nothing_for_groups(tmp_path: Path) -> None:
    async with core(tmp_path, options=pairs()) as parley:
        group = {"conversation": Conversation("test", "group"), "private": False}
        assert not await parley.say("/pair", sender=EVE, **group)
        code = await parley.services.pairing.ask(EVE)
        await parley.say(f"/pair {code}", **group)
        assert "private chat" in (await parley.channel.until_finals(1))[0]
        assert "test:eve" not in parley.services.pairing


async def test_an_administrator_lets_people_in_on_the_own_channel_only(tmp_path: Path) -> None:
    elsewhere = User("other", "zoe", "Zoe")
    for operating in (False, True):
        folder = tmp_path / str(operating)
        folder.mkdir()
        async with core(folder, options=pairs(operating=operating)) as parley:
            code = await parley.services.pairing.ask(elsewhere)
            await parley.say(f"/pair {code}")
            (answer,) = await parley.channel.until_finals(1)
            assert ("now has access" in answer) is operating
            assert ("other:zoe" in parley.services.pairing) is operating


@pytest.mark.parametrize(("operating", "said"), [(True, "on this page"), (False, "get a code with `/pair`")])
async def test_an_administrator_without_a_code_hears_how_it_is_done(
    tmp_path: Path, operating: bool, said: str
) -> None:
    async with core(tmp_path, options=pairs(operating=operating)) as parley:
        await parley.say("/pair")
        assert said in (await parley.channel.until_finals(1))[0]


async def test_too_many_requests_are_said_to_be_so_once(tmp_path: Path) -> None:
    async with core(tmp_path, options=pairs()) as parley:
        for _ in range(CODES_OF_ONE + 3):
            await parley.say("/pair", sender=EVE)
        await parley.say("/pair", conversation=Conversation("test", "ann's"))
        await parley.channel.until(lambda: any("Give them access" in text for text in parley.channel.texts))
        await until(lambda: len(parley.channel.finals) == CODES_OF_ONE + 2, "each was answered")
        assert sum("Too many" in text for text in parley.channel.texts) == 1


@pytest.mark.parametrize("private", [True, False])
async def test_no_path_answers_a_stranger(tmp_path: Path, private: bool) -> None:
    file = Attachment(AttachmentKind.FILE, "a.txt", "text/plain", 1, "handle")
    async with core(tmp_path, options=pairs(pairing=False)) as parley:
        here = {"sender": EVE, "private": private}
        for text in (
            "hello",
            *(f"/{name}" for name in COMMAND_NAMES),
            *(f"/{name} x" for name in COMMAND_NAMES),
            "1",
            "批准",
        ):
            await parley.say(text, **here)
        await parley.say("", attachments=(file,), **here)
        await parley.say("look", attachments=(file,), group="album", **here)
        await parley.say("/help", conversation=Conversation("test", "ann's"))
        await parley.channel.until(lambda: any("`/new`" in text for text in parley.channel.texts))
        await until_worked(parley)
        refusals = [text for text in parley.channel.texts if "allowed_users" in text]
        assert len(parley.channel.finals) == len(refusals) + 1
        assert len(refusals) == (1 if private else 0)
        assert parley.agent.requests == []
        assert not list((tmp_path / "files").rglob("*.txt"))


async def until_worked(parley: Core) -> None:
    """Nothing waits among the commands, where refusals are."""
    await until(partial(parley.nothing_waits, command_queue("test")), "the commands are worked")


async def test_whoever_is_let_in_no_more_is_not_answered_and_holds_up_nobody(tmp_path: Path) -> None:
    options = replace(pairs(allowed_users=frozenset({"bob"})), queue_limit=2)
    async with core(tmp_path, options=options, working=False) as parley:
        pairing = parley.services.pairing
        code = await pairing.ask(EVE)
        assert code
        assert await pairing.approve(code, ADMIN)
        for sender, text in ((EVE, "one"), (BOB, "two"), (EVE, "three"), (BOB, "four")):
            assert await parley.say(text, sender=sender)
        await pairing.revoke("test:eve")
        parley.task = asyncio.create_task(parley.manager.run())
        asked = parley.agent.requests
        await until(lambda: "four" in "".join(request.text for request in asked), "all were read")
        said = " ".join(request.text for request in parley.agent.requests)
        assert "two" in said
        assert "one" not in said
        assert "three" not in said


async def test_whoever_is_let_in_no_more_decides_nothing(tmp_path: Path) -> None:
    async with core(
        tmp_path, agent=ScriptedAgent(asking(MAIL)), options=pairs(), channel=with_buttons()
    ) as parley:
        pairing = parley.services.pairing
        code = await pairing.ask(EVE)
        assert code
        assert isinstance(await pairing.approve(code, ADMIN), PairedAccount)
        await parley.say("ask", sender=EVE)
        await parley.channel.until(lambda: bool(keys(parley)))
        pressed = click(keys(parley)[0], "approve", EVE)
        await pairing.revoke("test:eve")
        assert "cannot decide" in await parley.clicks.submit(pressed)
        await parley.say("approve", sender=EVE)
        await parley.clicks.submit(click(keys(parley)[0], "approve", User("test", "zoe"), number=2))
        await until_worked(parley)
        assert len(parley.agent.requests) == 1


class Counted(KeptDocuments):
    """Documents in memory, and how many were read."""

    read = 0

    async def get(self, key: str) -> Document:
        self.read += 1
        return await super().get(key)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        found = await super().list(prefix, limit, after)
        self.read += len(found)
        return found


async def _let_in(documents: KeptDocuments, number: int) -> None:
    for each in range(number):
        paired = PairedAccount(f"test:{each}", "", ADMIN, 1.0, "")
        await documents.set(Document(f"paired/test:{each}", encode(paired), 0))


async def test_who_is_in_is_not_read_anew_for_each_change() -> None:
    documents = Counted()
    await _let_in(documents, 500)
    here, there = [await Pairing.open(documents, lambda: 100.0) for _ in range(2)]
    documents.read = 0
    await there._paired.wait(0)
    assert documents.read == 1
    code = await here.ask(EVE)
    assert code
    assert await here.approve(code, ADMIN)
    assert await here.revoke("test:7")
    assert documents.read < 40
    documents.read = 0
    await there._paired.wait(0)
    assert documents.read == 3
    assert "test:eve" in there
    assert "test:7" not in there
    assert await here.approve("ABCD-EFGH", ADMIN) is None  # a wrong code
    assert documents.read < 10


async def test_who_missed_many_changes_reads_everybody() -> None:
    documents = KeptDocuments()
    await _let_in(documents, 300)
    here, there = [await Pairing.open(documents, lambda: 100.0) for _ in range(2)]
    for each in range(250):
        await here.revoke(f"test:{each}")
    await there._paired.wait(0)
    assert [each for each in range(300) if f"test:{each}" in there] == list(range(250, 300))


async def test_what_an_older_parley_changes_is_learned_at_its_news() -> None:
    documents = KeptDocuments()
    await _let_in(documents, 3)
    pairing = await Pairing.open(documents, lambda: 100.0)
    await documents.delete("paired/test:1")
    pairing._paired.on_message("")
    await pairing._paired.wait(60)
    assert "test:1" not in pairing
    assert "test:2" in pairing


async def test_nothing_of_who_is_forgotten_stays_in_the_changes() -> None:
    documents = KeptDocuments()
    await _let_in(documents, 3)
    here, there = [await Pairing.open(documents, lambda: 100.0) for _ in range(2)]
    await here.revoke("test:1")
    await here.forget("test:1")
    await here.forget("test:2")
    assert not [each for each in await documents.list("") if "test:1" in each.body or "test:2" in each.body]
    await there._paired.wait(0)
    assert "test:0" in there
    assert "test:2" not in there


async def test_a_change_that_nobody_could_count_any_more_is_learned_after_a_while() -> None:
    documents, now = KeptDocuments(), [100.0]
    await _let_in(documents, 3)
    there = PairedAccounts(documents, NULL_NOTIFIER, lambda: now[0])
    await there.load()
    await documents.delete("paired/test:1")  # the process that did it died before it could say so
    await there.wait(0)
    assert "test:1" in there
    now[0] += 600
    await there.wait(0)
    assert "test:1" not in there
    assert "test:2" in there
