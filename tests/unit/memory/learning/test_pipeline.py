"""From words to memory and back: recorded, learned from and recalled, on real stores and real files."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from parley.core.model.codec import encode
from parley.core.model.errors import MemoryFailed
from parley.core.ports.journal import NewQueueItem
from parley.core.ports.memory.port import RecallQuery
from parley.memory.learning.extraction.diff import Diff, ProposedFact, Removal
from parley.memory.learning.extraction.extractor import ModelExtractor
from parley.memory.learning.extraction.llm import LangchainModel, ModelSettings
from parley.memory.learning.extraction.prompts import load_prompts
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import Groups, MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.memory.storage.sql import SqlMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import NOON, fails, learns, provider, says, turn, until
from tests.kit.samples.memories import failed_turns
from tests.unit.memory.learning.queue_kit import let_through

AT_ONCE = MemoryOptions(debounce_seconds=0, retry_pause=0)


@dataclass
class Clock:
    now: float = NOON + 100

    def __call__(self):
        return self.now


@dataclass
class Scripted:
    """An extractor that proposes what a function of the material says, once it may go on."""

    propose: Callable[..., Diff]
    hold: asyncio.Event = field(default_factory=let_through)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    read: list[tuple[str, ...]] = field(default_factory=list)
    name: str = "scripted"

    async def open(self):
        pass

    def corrects(self, said):
        return said.startswith("no,")

    async def extract(self, material, document, index, now):
        self.read.append(tuple(each.id for each in material.turns))
        self.begun.set()
        await self.hold.wait()
        return self.propose(material)


def says_it_all(material):
    return Diff(tuple(ProposedFact(each.said, confidence=0.9, turns=(each.id,)) for each in material.turns))


def by_model(served):
    return ModelExtractor(LangchainModel(ModelSettings("openai:tiny", served.url, "k")), load_prompts())


@asynccontextmanager
async def remembering(path, extractor=None, options=AT_ONCE, *, sql=False, clock=None):
    async with SqliteStore.open(path / "db") as journal:
        store = SqlMemoryStore(journal) if sql else FileMemoryStore(path / "memory")
        service = MemoryService(store, journal, extractor or RuleExtractor(), options, clock or Clock())
        async with service.running():
            yield service


async def known(service, person="ann"):
    return [fact.content for fact in (await service.overview(person)).facts]


async def recalled(service, *messages, person="ann", private=True, assistant="agent"):
    return await service.recall(RecallQuery(person, assistant, "thread-1", messages or ("hello",), private))


async def knows(service, *contents, person="ann"):
    async def check():
        return set(contents) <= set(await known(service, person))

    await until(check)


async def idle(service, person="ann"):
    async def check():
        return not (await service.overview(person)).waiting

    await until(check)


@pytest.mark.parametrize("sql", [False, True], ids=["files", "sql"])
async def test_what_is_said_is_remembered_and_recalled_without_any_model(tmp_path, sql):
    async with remembering(tmp_path, sql=sql) as service:
        assert await recalled(service) == ""
        await service.record(turn(1, "Hi, my name is Anna and I live in Ulm. I like green tea."))
        await service.record(turn(2, "我叫李雷，我喜欢喝茶", person="lei"))
        await knows(service, "User's name is Anna", "User lives in Ulm", "User likes green tea")
        await knows(service, "用户喜欢喝茶", person="lei")
        block = await recalled(service, "where do I live?")
        assert re.match(r"<memory>\nFacts \(today is ([0-9-]{10})\):\n- \1: User lives in Ulm\n", block)
        assert "李雷" in await recalled(service, "我叫什么", person="lei")
        assert "Ulm" not in await recalled(service, "我叫什么", person="lei")


async def test_a_first_time_user_has_memory_in_the_very_same_thread_and_every_turn_afresh(tmp_path):
    async with remembering(tmp_path) as service:
        assert await recalled(service) == ""
        await service.record(turn(1, "I live in Ulm"))
        await knows(service, "User lives in Ulm")
        assert "Ulm" in await recalled(service)
        await service.record(turn(2, "I moved to Bonn"))
        await knows(service, "User lives in Bonn")
        block = await recalled(service)
        assert re.search(r"lives in Bonn\n.*lives in Ulm \(past: until [0-9-]{10}\)", block)
        await service.forget("ann", "User lives")
        assert await recalled(service) == ""


async def test_learning_goes_to_the_very_memory_that_recall_reads(tmp_path):
    async with (
        provider(learns("Lives in Ulm")) as served,
        remembering(tmp_path, by_model(served)) as service,
    ):
        await service.record(turn(1, "I live in Ulm", person="a@x"))
        await knows(service, "Lives in Ulm", person="a@x")
        assert "Ulm" in await recalled(service, person="a@x")
        assert await known(service, "a-x") == []
        assert await known(service, "default") == []
    assert "(none)" in served.prompts[0]


async def test_each_speaker_in_a_shared_thread_has_their_own_words_only(tmp_path):
    async with remembering(tmp_path, Scripted(says_it_all)) as service:
        await service.record(turn(1, "I am the one from Ulm", person="ann", private=False))
        await service.record(turn(2, "I am the one from Bonn", person="bob", private=False))
        await knows(service, "I am the one from Ulm")
        await knows(service, "I am the one from Bonn", person="bob")
        assert await known(service) == ["I am the one from Ulm"]
        assert await known(service, "bob") == ["I am the one from Bonn"]


@pytest.mark.parametrize(
    ("groups", "learned", "in_group"),
    [
        (Groups.SEPARATE, {"said privately", "said openly"}, {"said openly"}),
        (Groups.OFF, {"said privately"}, set()),
        (Groups.SHARED, {"said privately", "said openly"}, {"said privately", "said openly"}),
    ],
)
async def test_what_is_said_in_private_is_recalled_in_groups_only_where_that_is_wanted(
    tmp_path, groups, learned, in_group
):
    options = replace(AT_ONCE, groups=groups)
    async with remembering(tmp_path, Scripted(says_it_all), options) as service:
        await service.record(turn(1, "said openly", private=False))
        await service.record(turn(2, "said privately"))
        await idle(service)
        assert set(await known(service)) == learned
        block = await recalled(service, "what was said?", private=False)
        assert {each for each in learned if each in block} == in_group
        block = await recalled(service, "what was said?")
        assert {each for each in learned if each in block} == learned


async def test_a_turn_is_learned_once_even_when_the_end_of_its_lesson_was_lost(tmp_path):
    extractor = Scripted(says_it_all)
    async with remembering(tmp_path, extractor) as service:
        await service.record(turn(1, "I like the first thing"))
        await idle(service)
    async with SqliteStore.open(tmp_path / "db") as journal:
        # As if the process had died between saving the memory and finishing the turn.
        for number, said in [(1, "I like the first thing"), (2, "I like the second thing")]:
            await journal.put(NewQueueItem("memory", "ann", encode(turn(number, said))))
    async with remembering(tmp_path, extractor) as service:
        await knows(service, "I like the second thing")
    assert extractor.read == [("turn-1",), ("turn-2",)]


async def test_new_words_only_are_read_also_after_a_restart(tmp_path):
    async with provider(learns("Lives in Ulm"), learns("Likes tea")) as served:
        async with remembering(tmp_path, by_model(served)) as service:
            await service.record(turn(1, "I live in Ulm"))
            await knows(service, "Lives in Ulm")
        async with remembering(tmp_path, by_model(served)) as service:
            await service.record(turn(2, "I like tea"))
            await knows(service, "Likes tea")
    assert "I live in Ulm" not in served.prompts[1]
    assert "| Lives in Ulm" in served.prompts[1]


async def test_a_rate_limited_model_is_asked_again_and_nothing_is_lost(tmp_path):
    async with (
        provider(fails(429), fails(429), learns("Lives in Ulm")) as served,
        remembering(tmp_path, by_model(served)) as service,
    ):
        await service.record(turn(1, "I live in Ulm"))
        await knows(service, "Lives in Ulm")
    assert len(served.asked) == 3


async def test_garbage_from_the_model_is_set_aside_visibly_and_can_be_retried(tmp_path):
    async with (
        provider(says("I'd rather chat.")) as served,
        remembering(tmp_path, by_model(served)) as service,
    ):
        await service.record(turn(1, "I live in Ulm"))
        await until(lambda: failed_turns(service.admin))
        status = await service.admin.health()
        assert (status.dead, status.waiting, status.extractor) == (1, 0, "openai:tiny")
        assert "holds no update" in status.last_error
        served.answers[:] = [learns("Lives in Ulm")]
        (dead,) = await failed_turns(service.admin)
        assert await service.admin.retry(dead.item)
        await knows(service, "Lives in Ulm")
        assert await failed_turns(service.admin) == []
        assert not await service.admin.retry(dead.item)


async def test_one_bad_value_of_the_model_never_loses_the_update(tmp_path):
    answer = {
        "newFacts": [
            {"content": "Too sure", "confidence": 95},
            {"content": None, "confidence": 0.9},
            {"content": "Lives in Ulm", "confidence": 0.9},
        ],
        "user": {"workContext": {"shouldUpdate": True, "summary": ["a"]},
                 "personalContext": {"shouldUpdate": True, "summary": "From Ulm."}},
    }  # fmt: skip
    async with (
        provider(says(json.dumps(answer))) as served,
        remembering(tmp_path, by_model(served)) as service,
    ):
        await service.record(turn(1, "I live in Ulm"))
        await knows(service, "Lives in Ulm", "Too sure")
        overview = await service.overview("ann")
    assert overview.summaries == (("personalContext", "From Ulm."),)


async def test_clear_cancels_what_waits_and_what_is_under_way(tmp_path):
    extractor = Scripted(says_it_all, asyncio.Event())
    clock = Clock()
    async with remembering(tmp_path, extractor, clock=clock) as service:
        await service.add("ann", "Has a dog")
        await service.record(turn(1, "I live in Ulm"))
        await extractor.begun.wait()
        await service.record(turn(2, "I like tea"))
        assert await service.clear("ann") == 1
        await service.record(turn(3, "said before, finished after", at=clock.now - 1))
        extractor.hold.set()
        await service.record(turn(4, "said afterwards", at=clock.now + 1))
        await knows(service, "said afterwards")
        await idle(service)
        assert await known(service) == ["said afterwards"]
        assert "Ulm" not in await service.export("ann")


async def test_what_was_cleared_does_not_come_back_after_a_restart(tmp_path):
    async with remembering(tmp_path) as service:
        await service.record(turn(1, "I live in Ulm"))
        await knows(service, "User lives in Ulm")
        await service.clear("ann")
    async with remembering(tmp_path) as service:
        await service.record(turn(1, "I live in Ulm"))
        await service.record(turn(2, "I like tea", at=NOON + 200))
        await knows(service, "User likes tea")
        await idle(service)
        assert await known(service) == ["User likes tea"]


async def test_what_was_forgotten_is_not_learned_again_from_what_was_said_before(tmp_path):
    clock = Clock()
    extractor = Scripted(says_it_all, asyncio.Event())
    async with remembering(tmp_path, extractor, clock=clock) as service:
        await service.add("ann", "I live in Ulm")
        await service.record(turn(1, "I live in Ulm"))
        await extractor.begun.wait()
        assert [fact.content for fact in await service.forget("ann", "Ulm")] == ["I live in Ulm"]
        extractor.hold.set()
        await idle(service)
        assert await known(service) == []
        await service.record(turn(2, "I live in Ulm", at=clock.now + 1))
        await knows(service, "I live in Ulm")


async def test_forgetting_through_chat_removes_and_never_notes_an_unwillingness(tmp_path):
    async with remembering(tmp_path) as service:
        await service.record(turn(1, "I like tea"))
        await knows(service, "User likes tea")
        await service.record(turn(2, "Please forget that I like tea"))
        await idle(service)
        assert await known(service) == []


async def test_whoever_switched_off_is_neither_learned_from_nor_recalled(tmp_path):
    extractor = Scripted(says_it_all)
    async with remembering(tmp_path, extractor, MemoryOptions()) as service:
        await service.add("ann", "Has a dog")
        await service.record(turn(1, "I live in Ulm"))
        await service.switch("ann", False)
        await service.record(turn(2, "I like tea"))
        overview = await service.overview("ann")
        assert (overview.on, overview.waiting) == (False, 0)
        assert [fact.content for fact in overview.facts] == ["Has a dog"]
        assert await recalled(service) == ""
        await service.switch("ann", True)
        assert "dog" in await recalled(service)
    assert extractor.read == []


async def test_switching_off_during_a_lesson_stores_nothing(tmp_path):
    extractor = Scripted(says_it_all, asyncio.Event())
    async with remembering(tmp_path, extractor) as service:
        await service.record(turn(1, "I live in Ulm"))
        await extractor.begun.wait()
        await service.switch("ann", False)
        extractor.hold.set()
        await idle(service)
        assert await known(service) == []


async def test_a_persons_change_during_a_lesson_is_kept_and_so_is_the_lesson(tmp_path):
    extractor = Scripted(says_it_all, asyncio.Event())
    async with remembering(tmp_path, extractor) as service:
        await service.record(turn(1, "I live in Ulm"))
        await extractor.begun.wait()
        await service.add("ann", "Has a dog")
        extractor.hold.set()
        await knows(service, "Has a dog", "I live in Ulm")


async def test_a_save_that_fails_leaves_the_memory_whole_and_is_tried_again(tmp_path, monkeypatch):
    fails_left = 1
    save = FileMemoryStore.save

    async def sometimes(self, person, stored, assistant=""):
        nonlocal fails_left
        if fails_left and person == "ann":
            fails_left -= 1
            raise MemoryFailed("The disk is full.")
        return await save(self, person, stored, assistant)

    async with remembering(tmp_path, Scripted(says_it_all)) as service:
        await service.add("bob", "Has a dog")
        monkeypatch.setattr(FileMemoryStore, "save", sometimes)
        await service.record(turn(1, "I live in Ulm"))
        await knows(service, "I live in Ulm")
        assert "The disk is full." in (await service.admin.health()).last_error
        assert await known(service) == ["I live in Ulm"]
        assert await known(service, "bob") == ["Has a dog"]


async def test_a_turn_without_thread_name_or_reply_is_learned_from_all_the_same(tmp_path):
    async with remembering(tmp_path) as service:
        await service.record(turn(1, "I live in Ulm", thread="", reply="", name="", assistant=""))
        await knows(service, "User lives in Ulm")


async def test_a_long_backlog_is_learned_from_chunk_by_chunk_and_each_turn_once(tmp_path):
    extractor = Scripted(says_it_all)
    options = replace(AT_ONCE, debounce_seconds=60, chunk_tokens=300)
    async with remembering(tmp_path, extractor, options) as service:
        for number in range(40):
            await service.record(
                turn(number, f"Statement {number} about {number * 7919}", thread=f"t{number % 3}")
            )
    async with remembering(tmp_path, extractor, replace(options, debounce_seconds=0)) as service:
        await service.record(turn(40, "and a last statement"))
        await until(lambda: sum(map(len, extractor.read)) >= 40)
        await idle(service)
    read = [each for part in extractor.read for each in part]
    assert sorted(read) == sorted({f"turn-{number}" for number in range(41)})
    assert len(extractor.read) > 3


async def test_a_failed_replacement_never_turns_into_a_deletion(tmp_path):
    def replaces(material):
        return Diff(
            (ProposedFact("x", confidence=0.1),),
            (Removal("fact-1", replaced_by=0), Removal(ids[0], replaced_by=0)),
        )

    async with remembering(tmp_path, Scripted(says_it_all)) as service:
        await service.record(turn(1, "I live in Ulm"))
        await knows(service, "I live in Ulm")
        ids = [fact.id for fact in (await service.overview("ann")).facts]
    async with remembering(tmp_path, Scripted(replaces)) as service:
        await service.record(turn(2, "I live elsewhere now"))
        await idle(service)
        assert await known(service) == ["I live in Ulm"]


async def test_ordinary_acknowledgements_cost_no_model_call(tmp_path):
    extractor = Scripted(says_it_all)
    async with remembering(tmp_path, extractor) as service:
        for number, said in enumerate(["ok", "好的", "Thanks!", "   "]):
            await service.record(turn(number, said))
        await idle(service)
    assert extractor.read == []


async def test_a_yes_is_read_with_the_question_of_an_earlier_lesson(tmp_path):
    questions: list[str] = []

    def notes(material):
        questions.extend(each.question for each in material.turns)
        return Diff()

    async with remembering(tmp_path, Scripted(notes)) as service:
        await service.record(turn(1, "I drink tea every day", reply="Shall I remember that you like tea?"))
        await idle(service)
        await service.record(turn(2, "yes"))
        await idle(service)
    assert questions == ["", "Shall I remember that you like tea?"]


async def test_a_corrupt_memory_is_an_error_that_is_shown_and_nothing_is_overwritten(tmp_path):
    async with remembering(tmp_path) as service:
        await service.record(turn(1, "I live in Ulm"))
        await knows(service, "User lives in Ulm")
        (file,) = tmp_path.glob("memory/users/*/memory.json")
        file.write_text("{broken")
        assert await recalled(service) == ""
        await service.record(turn(2, "I like tea"))
        await until(
            lambda: any(
                "{broken" in each.read_text("utf-8") for each in file.parent.rglob("*") if each.is_file()
            )
        )


async def test_each_assistant_has_a_memory_of_its_own_where_that_is_wanted(tmp_path):
    options = replace(AT_ONCE, per_assistant=True)
    async with remembering(tmp_path, options=options) as service:
        await service.record(turn(1, "I like tea", assistant="cook"))
        await service.record(turn(2, "I like jazz", assistant="band"))
        await knows(service, "User likes tea", "User likes jazz")
        await service.add("ann", "Has a dog")
        assert "jazz" not in await recalled(service, assistant="cook")
        block = await recalled(service, assistant="cook")
        assert "tea" in block
        assert "dog" in block
        assert [fact.content for fact in await service.forget("ann", "likes tea")] == ["User likes tea"]
        assert await recalled(service, "tea", assistant="cook") == await recalled(
            service, "tea", assistant="new"
        )
        assert await service.clear("ann") == 2
        assert await recalled(service, assistant="band") == ""
