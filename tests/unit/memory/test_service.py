"""The memory port: fast and harmless on the way of a turn, and everything in its person's hands."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from parley.core.model.errors import ConfigError, MemoryFailed, StoreUnavailable
from parley.core.ports.memory.admin import FactChange, UnknownCategory
from parley.core.ports.memory.port import MemoryNotices, MergeOutcome, RecallQuery, UndoResult
from parley.memory.learning.extraction.extractor import ModelExtractor
from parley.memory.learning.extraction.llm import LangchainModel, ModelSettings
from parley.memory.learning.extraction.prompts import load_prompts
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.model.document import Fact, MemoryDocument, StoredMemory
from parley.memory.model.vocabulary import MemoryVocabulary
from parley.memory.options import Groups, MemoryOptions, TokenCounting
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.memory.storage.sql import SqlMemoryStore
from parley.memory.text.token_counting import CharacterCounter
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import NOON, turn, until
from tests.kit.machine import patience
from tests.kit.samples.memories import failed_turns
from tests.kit.samples.memory_options import memory_options

HELLO = RecallQuery("ann", "agent", "thread-1", ("hello there, what about the dog?",), private=True)


class Ticking:
    """A clock that moves on each time it is read, so that nothing happens twice at one time."""

    def __init__(self):
        self.now = NOON

    def __call__(self):
        self.now += 1
        return self.now


@asynccontextmanager
async def service_on(path, options=None, store=None, extractor=None):
    async with SqliteStore.open(path / "db") as journal:
        store, extractor = store or FileMemoryStore(path / "memory"), extractor or RuleExtractor()
        yield MemoryService(store, journal, extractor, options or memory_options(), Ticking())


class Away:
    """A store of conversations that is out of reach, for the memories in it."""

    async def get(self, key):
        raise StoreUnavailable("the disk is gone")


class Hanging:
    """A store whose disk never answers."""

    def __init__(self):
        self.loads = 0

    async def load(self, person, assistant=""):
        self.loads += 1
        await asyncio.Event().wait()


@dataclass
class Instant:
    """A store that has one memory at hand."""

    stored: StoredMemory

    async def load(self, person, assistant=""):
        return self.stored


class Failing:
    """A store that fails with what it is given."""

    def __init__(self, error):
        self.error = error

    async def load(self, person, assistant=""):
        raise self.error

    people = load


async def test_recall_on_a_hanging_disk_lets_the_turn_go_on_without_memory(tmp_path):
    store = Hanging()
    async with service_on(tmp_path, MemoryOptions(recall_timeout=0.01), store) as service:
        assert [await service.recall(HELLO) for _ in range(40)] == [""] * 40
        assert store.loads == 32
        running = asyncio.create_task(service.run())
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("error", [MemoryFailed("broken"), OSError("disk"), KeyError("a bug")])
async def test_recall_never_raises(tmp_path, error, caplog):
    async with service_on(tmp_path, store=Failing(error)) as service:
        assert await service.recall(HELLO) == ""
    assert "nothing is recalled" in caplog.text


@pytest.mark.parametrize("occasion", [replace(HELLO, messages=()), replace(HELLO, messages=("",)),
                                      replace(HELLO, thread="", assistant="")])  # fmt: skip
async def test_recall_needs_no_context(tmp_path, occasion):
    async with service_on(tmp_path) as service:
        await service.add("ann", "Has a dog")
        assert "Has a dog" in await service.recall(occasion)


async def test_a_cancelled_turn_leaves_nothing_behind(tmp_path):
    async with service_on(tmp_path, store=Hanging()) as service:
        recalling = asyncio.create_task(service.recall(HELLO))
        await asyncio.sleep(0)
        recalling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await recalling


@pytest.mark.parametrize(
    ("options", "private"),
    [(memory_options(enabled=False), True), (memory_options(injection_enabled=False), True),
     (memory_options(groups=Groups.OFF), False), (memory_options(groups=Groups.SEPARATE), False)],
)  # fmt: skip
async def test_nothing_is_recalled_where_that_is_not_wanted(tmp_path, options, private):
    async with service_on(tmp_path, options) as service:
        await service.add("ann", "Has a dog")
        assert await service.recall(replace(HELLO, private=private)) == ""


async def test_with_memory_off_nothing_waits_and_nothing_runs(tmp_path):
    async with service_on(tmp_path, memory_options(enabled=False)) as service:
        assert not service.enabled
        await service.record(turn(1, "I live in Ulm"))
        assert (await service.admin.health()).waiting == 0


async def test_other_options_hold_while_it_runs(tmp_path):
    async with service_on(tmp_path, memory_options(enabled=False)) as service, service.running():
        await service.record(turn(1, "I live in Ulm"))
        service.reconfigure(memory_options(debounce_seconds=0.0), RuleExtractor(), ())
        assert service.enabled
        assert service.admin.config["enabled"] is True
        await service.record(turn(2, "I live in Bonn"))

        async def facts():
            return [fact.content for fact in (await service.overview("ann")).facts]

        await until(facts)
        assert await facts() == ["User lives in Bonn"]


def many(number):
    return tuple(Fact(f"fact_{n}", f"Note {n} about dog{n}", confidence=0.8) for n in range(number))


async def test_recall_of_a_large_memory_happens_beside_the_loop(tmp_path, monkeypatch):
    store = Instant(StoredMemory(MemoryDocument(facts=many(4_000)), revision="1"))
    options = MemoryOptions(recall_timeout=patience(30), token_counting=TokenCounting.CHAR)
    async with service_on(tmp_path, options, store) as service:
        await service.search("ann", "a first look makes the index")
        counting, go_on = threading.Event(), threading.Event()

        def held(counter, text):
            counting.set()
            assert go_on.wait(patience(20))
            return 1

        monkeypatch.setattr(CharacterCounter, "count", held)
        recalling = asyncio.create_task(service.recall(replace(HELLO, messages=("what about dog3999?",))))
        await until(counting.is_set)
        go_on.set()  # by the loop, which is free
        assert "dog3999" in await recalling


async def test_while_a_large_memory_is_made_ready_its_surest_facts_are_recalled(tmp_path):
    sure = Fact("fact_sure", "Lives in Ulm", confidence=1.0)
    private = replace(HELLO, messages=("what about dog3999?",))
    store = Instant(StoredMemory(MemoryDocument(facts=(*many(20_000), sure)), revision="1"))
    async with service_on(tmp_path, MemoryOptions(recall_timeout=0.01), store) as service:
        assert "Lives in Ulm" in await service.recall(private)
        assert await service.recall(replace(private, private=False)) == ""


async def test_a_memory_edited_by_hand_counts_from_the_next_turn(tmp_path):
    async with service_on(tmp_path) as service:
        await service.add("ann", "Has a dog")
        (file,) = tmp_path.glob("memory/users/ann/memory.json")
        file.write_text(file.read_text("utf-8").replace("Has a dog", "Has two old cats"), "utf-8")
        assert "two old cats" in await service.recall(HELLO)
        assert [fact.content for fact in await service.search("ann", "cats")] == ["Has two old cats"]


async def test_an_overview_shows_everything_newest_first(tmp_path):
    async with service_on(tmp_path) as service:
        for content in ("Has a dog", "Likes tea", "Lives in Ulm"):
            await service.add("ann", content)
        await service.record(turn(1, "and I sing"))
        overview = await service.overview("ann")
    assert [fact.content for fact in overview.facts] == ["Lives in Ulm", "Likes tea", "Has a dog"]
    assert (overview.on, overview.waiting) == (True, 1)
    assert {fact.source for fact in overview.facts} == {"manual"}


async def test_hands_on_a_memory(tmp_path):
    async with service_on(tmp_path) as service:
        dog = await service.add("ann", "Has a dog")
        assert (await service.add("ann", "has a  dog.")).id == dog.id
        await service.add("ann", "Likes green tea")
        assert [fact.content for fact in await service.search("ann", "which tea?")] == ["Likes green tea"]
        assert [fact.id for fact in await service.forget("ann", dog.id)] == [dog.id]
        assert await service.forget("ann", "a camel") == ()
        assert await service.undo("ann") is UndoResult.FORGOTTEN
        overview = await service.overview("ann")
        assert [fact.content for fact in overview.facts] == ["Likes green tea"]
        await service.add("ann", "Has a cat")
        assert await service.undo("ann") is UndoResult.DONE
        assert (await service.overview("ann")).facts == overview.facts
        assert await service.undo("ann") is UndoResult.FORGOTTEN
        with pytest.raises(MemoryFailed, match="nothing to remember"):
            await service.add("ann", "  ... ")
    async with service_on(tmp_path) as service:
        assert await service.undo("stranger") is UndoResult.NOTHING


async def test_two_hands_at_once_lose_nothing(tmp_path):
    async with service_on(tmp_path) as service:
        names = ["tea", "dogs", "jazz", "Ulm", "chess"]
        await asyncio.gather(*(service.add("ann", f"Is very fond of {name}") for name in names))
        facts = (await service.overview("ann")).facts
    assert sorted(fact.content.split()[-1] for fact in facts) == sorted(names)


async def test_linked_accounts_become_one_memory_with_a_report(tmp_path):
    async with service_on(tmp_path) as service:
        await service.add("web-ann", "Has a dog")
        await service.add("web-ann", "Likes tea")
        await service.add("ann", "Has a dog")
        await service.record(turn(1, "I live in Ulm", person="web-ann"))
        assert await service.merge("web-ann", "ann") == MergeOutcome(added=1, known=1)
        assert await service.merge("ann", "ann") == MergeOutcome(0, 0)
        there = await service.overview("ann")
        assert {fact.content for fact in there.facts} == {"Has a dog", "Likes tea"}
        assert there.waiting == 1
        gone = await service.overview("web-ann")
        assert (gone.facts, gone.waiting) == ((), 0)


async def test_an_export_is_the_file_and_can_be_imported(tmp_path):
    async with service_on(tmp_path) as service:
        await service.add("ann", "Has a dog")
        exported = await service.export("ann")
        assert json.loads(exported)["version"] == "1.0"
        assert await service.admin.export("ann") == exported
        assert await service.admin.replace("bob", exported) == 1
        assert [fact.content for fact in (await service.overview("bob")).facts] == ["Has a dog"]
        assert await service.admin.people("", 9) == ["ann", "bob"]


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"facts": [{"content": ""}]}'])
async def test_an_import_that_cannot_be_read_changes_nothing(tmp_path, text):
    async with service_on(tmp_path) as service:
        await service.add("ann", "Has a dog")
        with pytest.raises(MemoryFailed):
            await service.admin.replace("ann", text)
        assert len((await service.overview("ann")).facts) == 1


async def test_facts_are_made_corrected_and_removed_by_hand(tmp_path):
    async with service_on(tmp_path) as service:
        admin = service.admin
        made = (await admin.create("ann", "Likes tee", "preference", 0.8)).fact
        assert (made.category, made.confidence) == ("preference", 0.8)
        mended = (await admin.patch("ann", made.id, FactChange("Likes tea", confidence=0.9))).fact
        assert (mended.content, mended.confidence, mended.source) == ("Likes tea", 0.9, "manual")
        assert (await admin.patch("ann", "fact_none", FactChange("x"))).fact is None
        assert (await admin.patch("ann", made.id, FactChange("  "))).fact is None
        assert not await admin.delete("ann", "tea")
        assert await admin.delete("ann", made.id)
        assert not await admin.delete("ann", made.id)
        assert json.loads(await admin.reload("ann"))["facts"] == []


async def test_a_category_that_is_not_configured_is_refused_by_name(tmp_path):
    options = memory_options(vocabulary=MemoryVocabulary({"person": "who they are", "correction": "wrong"}))
    async with service_on(tmp_path, options=options) as service:
        admin = service.admin
        with pytest.raises(UnknownCategory, match="category: must be one of person, correction"):
            await admin.create("ann", "Likes tea", "preference", 0.8)
        made = (await admin.create("ann", "Likes tea", "", 0.8)).fact
        assert made.category == "person"
        with pytest.raises(UnknownCategory):
            await admin.patch("ann", made.id, FactChange(category="context"))
        assert admin.config["categories"] == ["person", "correction"]
        assert admin.given_categories == ["person", "correction"]


async def test_no_secret_is_in_the_status(tmp_path):
    settings = ModelSettings("openai:tiny", "http://127.0.0.1:9/v1", "secret-key-1")
    extractor = ModelExtractor(LangchainModel(settings), load_prompts())
    options = memory_options(debounce_seconds=0, retry_pause=0)
    async with service_on(tmp_path, options, extractor=extractor) as service, service.running():
        await service.record(turn(1, "I live in Ulm"))
        await until(lambda: failed_turns(service.admin))
        status = await service.admin.health()
        assert status.extractor == "openai:tiny"
        assert "openai:tiny failed" in status.last_error
        assert "secret-key-1" not in repr((status, await failed_turns(service.admin)))


async def test_a_model_that_cannot_be_ends_the_start_with_what_to_do(tmp_path):
    extractor = ModelExtractor(LangchainModel(ModelSettings("nonsense")), load_prompts())
    async with service_on(tmp_path, extractor=extractor) as service:
        with pytest.raises(ConfigError, match=r"memory\.model_name"):
            await service.run()


async def test_recording_on_a_store_that_is_away_asks_for_the_turn_again(tmp_path):
    class Away:
        def __getattr__(self, name):
            async def fail(*given, **more):
                raise StoreUnavailable("The disk is away.")

            return fail

    service = MemoryService(FileMemoryStore(tmp_path), Away(), RuleExtractor(), memory_options())
    with pytest.raises(StoreUnavailable):
        await service.record(turn(1, "I live in Ulm"))
    for ask in (service.overview, service.clear, service.admin.export):
        with pytest.raises(MemoryFailed, match="The disk is away"):
            await ask("ann")
    with pytest.raises(MemoryFailed, match="The disk is away"):
        await service.admin.health()


async def test_a_memory_that_cannot_be_read_still_has_its_turns_taken(tmp_path):
    async with service_on(tmp_path, store=Failing(MemoryFailed("broken"))) as service:
        await service.record(turn(1, "I live in Ulm"))
        assert len(await service._queue.waiting("ann")) == 1


async def test_a_stranger_has_an_empty_memory(tmp_path):
    async with service_on(tmp_path) as service:
        assert (await service.overview("nobody")).facts == ()
        assert await service.search("nobody", "tea") == ()
        assert await service.forget("nobody", "tea") == ()
        assert await service.clear("nobody") == 0
        assert json.loads(await service.export("nobody"))["facts"] == []


async def test_where_the_store_is_away_a_turn_is_not_lost_and_a_person_is_told(tmp_path):
    async with service_on(tmp_path, store=SqlMemoryStore(Away())) as service:  # type: ignore[arg-type]
        said = turn(1, "I live in Ulm")
        for recorded in (service.record(said), service.past_turns.documents_of(said)):
            with pytest.raises(StoreUnavailable):  # the whole turn is tried again
                await recorded
        for asked in (service.overview("ann"), service.add("ann", "Likes tea"), service.clear("ann")):
            with pytest.raises(MemoryFailed, match="the disk is gone"):
                await asked
        assert await service.recall(HELLO) == ""
        assert await service.controls.recall_team("team", ["hello"]) == ""
        assert await service.notices("ann", "hello", private=True) == MemoryNotices()
