"""Memory: one real lesson from a sample turn, for a person who is thrown away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import uuid4

from parley.app.checks.embedding import check_embedding
from parley.app.checks.scratch import scratch_store
from parley.app.composition.memory import make_memory
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.result import CheckResult, failed, from_findings, skipped, succeeded
from parley.app.settings.load import LoadedSettings
from parley.core.model.address import Conversation, User
from parley.core.model.errors import ConfigError, MemoryFailed, StoreUnavailable
from parley.core.model.types import CompletedTurn
from parley.core.ports.memory.port import RecallQuery
from parley.memory.learning.extraction.assistant import LessonAgent
from parley.memory.service import MemoryService

_PATIENCE = 120.0
_SAID = "My name is Ada. I live in Lisbon. I prefer tea to coffee."
_REPLY = "Nice to meet you, Ada. I will keep that in mind."
_ASKED = "What do I like to drink?"


async def probe_memory(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield what was learned from a sample turn, and whether it is found again. Nothing is left behind."""
    if not context.loaded.settings.memory.enabled:
        yield skipped("memory.lesson", "memory.enabled is false")
        return
    model = check_embedding(context.loaded)
    for result in from_findings(context.loaded, "memory.embedding", model):
        yield result
    if model.mistakes:
        return
    context.say("memory: a lesson from a sample turn (up to 2 minutes)")
    async with (
        scratch_store(_in_store(context.loaded)) as (elsewhere, store),
        _lesson_agent(elsewhere) as agent,
    ):
        try:
            service = make_memory(elsewhere, store, agent, time.time)
        except ConfigError as error:
            yield _unusable(error)
            return
        for result in await _learned(service, elsewhere):
            yield result


@asynccontextmanager
async def _lesson_agent(loaded: LoadedSettings) -> AsyncIterator[LessonAgent | None]:
    """Open the agent where an assistant of it learns."""
    if not loaded.settings.memory.assistant:
        yield None
        return
    from parley.app.composition.agent import open_agent

    async with open_agent(loaded) as agent:
        yield agent


def _in_store(loaded: LoadedSettings) -> LoadedSettings:
    """Return the same settings with every memory in the store, which is thrown away."""
    memory = loaded.settings.memory.model_copy(update={"storage": "store"})
    return replace(loaded, settings=loaded.settings.model_copy(update={"memory": memory}))


async def _learned(service: MemoryService, loaded: LoadedSettings) -> list[CheckResult]:
    name, since, turn = "memory.lesson", time.monotonic(), _sample()
    place = "memory.assistant" if loaded.settings.memory.assistant else "memory.model_name"
    try:
        async with asyncio.timeout(_PATIENCE):
            known = await service.learn_now(turn)
    except ConfigError as error:
        return [_unusable(error)]
    except (MemoryFailed, StoreUnavailable) as error:
        text, cause = error.user_text, error.__cause__
        text = f"{text} ({str(cause)[:200]})" if cause and str(cause) not in text else text
        return [failed(name, " ".join(text.split()), f"check {place}, its key and its address", place)]
    except TimeoutError:
        text = f"the model gave no lesson within {_PATIENCE:.0f} s"
        return [failed(name, text, f"choose a faster model in {place}", place, plain=True)]
    how = (await service.admin.health()).extractor
    if not known.facts and not known.summaries:
        text = f"{how} learned nothing from a sample turn that holds three facts"
        return [failed(name, text, f"choose a larger model in {place}", place)]
    learned = succeeded(name, f"{how} learned {len(known.facts)} facts from a sample turn", since)
    return [learned, await _recalled(service, turn, loaded.settings.memory.injection)]


async def _recalled(service: MemoryService, turn: CompletedTurn, injection: str) -> CheckResult:
    since = time.monotonic()
    query = RecallQuery(turn.person, turn.assistant, turn.thread, (_ASKED,), private=True)
    if await service.recall(query):
        return succeeded("memory.recall", "what was learned is given to the next run", since, plain=True)
    if injection == "off":
        return skipped("memory.recall", "memory.injection is off")
    text = "what was learned is not given to the next run"
    return failed("memory.recall", text, "see the log above; check memory.embedding", "memory", plain=True)


def _sample() -> CompletedTurn:
    person = f"doctor-{uuid4()}"
    place = Conversation("web", person)
    return CompletedTurn(
        id=str(uuid4()),
        person=person,
        speaker=User("web", person),
        conversation=place,
        thread=str(uuid4()),
        assistant="",
        language="en",
        user_text=_SAID,
        reply_text=_REPLY,
        at=time.time(),
        private=True,
    )


def _unusable(error: ConfigError) -> CheckResult:
    """Take apart `memory.embedding: what is wrong; what to do`."""
    place, _, text = error.user_text.partition(": ")
    what, _, remedy = text.partition("; ")
    return failed("memory.lesson", " ".join(what.split()), remedy or f"correct {place}", place)
