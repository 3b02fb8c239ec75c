"""A person's own affairs at a glance."""

from dataclasses import replace

import pytest

from parley.core.commands.overview import MOST_FACTS, PersonOverviews
from parley.core.hitl.records import QuestionRecord, new_question_document
from parley.core.model.address import Conversation, User
from parley.core.model.codec import encode
from parley.core.model.options import ChannelOptions, DecisionRules
from parley.core.model.questions import Question
from parley.core.model.types import SessionSettings
from parley.core.ports.health import Health, HealthReport
from parley.core.ports.journal import Document
from parley.core.ports.memory.port import FactView, MemoryView, NullMemory
from parley.core.state.conversations import ConversationRecord, PendingQuestion, conversation_document_key
from parley.core.state.people import PersonRepository
from tests.kit.doubles.web import MemoryDocuments

ANN = User("slack", "U1", language="zh-CN")
CHAT = Conversation("slack", "D1")


class Remembering(NullMemory):
    enabled = True

    async def overview(self, person: str) -> MemoryView:
        facts = [FactView(str(n), f"{person} {n}", "", 1.0, "", "") for n in range(MOST_FACTS + 2)]
        return MemoryView(True, (("workContext", "An engineer."),), tuple(facts))


def overviews(documents=None, memory=None, health=Health.UP, **options) -> PersonOverviews:
    documents = documents or MemoryDocuments()
    here = ChannelOptions(SessionSettings("agent"), **({"allowed_users": frozenset({"U1"})} | options))
    people = PersonRepository(documents, lambda: 0.0)

    async def agent() -> HealthReport:
        return HealthReport("agent", health, "", 0.0)

    return PersonOverviews(documents, memory or Remembering(), people, {"slack": here}, agent)


async def ask(documents: MemoryDocuments, place: Conversation, turn: str, prompt: str, **more) -> None:
    key, rules = Question(f"{turn}-1", prompt), DecisionRules()
    question = QuestionRecord(key, "i", turn, "t", place.key, place.key, ANN, True, "m", "en", 0.0, rules)
    await documents.set(new_question_document(replace(question, **more)))
    record = ConversationRecord(question=PendingQuestion((f"{turn}-1",), "U1", "Ann", turn))
    await documents.set(Document(conversation_document_key(place), encode(record), 0))


async def test_what_is_remembered_is_told_to_who_may_talk():
    overview = await overviews().describe(ANN, CHAT)
    assert overview is not None
    assert (overview.language, overview.learning, overview.more) == ("zh", True, 2)
    assert overview.summaries == ("An engineer.",)
    assert overview.facts[0].startswith("slack:U1")
    assert await overviews().describe(replace(ANN, id="U2"), CHAT) is None


async def test_a_question_in_the_newest_of_many_threads_waits_as_well():
    documents = MemoryDocuments()
    for number in range(260):
        place = replace(CHAT, topic=f"{1000 + number}.5")
        await documents.set(
            Document(conversation_document_key(place), encode(ConversationRecord(title="x")), 0)
        )
    await ask(documents, replace(CHAT, topic="2000.5"), "z", "Newest?")
    overview = await overviews(documents).describe(ANN, CHAT)
    assert overview is not None
    assert overview.questions == ("Newest?",)


@pytest.mark.parametrize(("health", "reachable"), [(Health.UP, True), (Health.RETRYING, False)])
async def test_whether_the_agent_can_be_reached_is_told(health, reachable):
    overview = await overviews(health=health).describe(ANN, CHAT)
    assert overview is not None
    assert overview.reachable is reachable


async def test_without_a_memory_nothing_is_learned():
    overview = await overviews(memory=NullMemory()).describe(ANN, CHAT)
    assert overview is not None
    assert (overview.learning, overview.facts) == (False, ())


async def test_questions_of_the_chat_and_its_threads_wait_and_no_others():
    documents = MemoryDocuments()
    await ask(documents, CHAT, "a", "Delete it?")
    await ask(documents, replace(CHAT, topic="1.5"), "b", "Send it?")
    await ask(documents, replace(CHAT, topic="2.5"), "c", "Too late?", dropped=True)
    await ask(documents, replace(CHAT, chat="D12"), "d", "Somebody else's?")
    overview = await overviews(documents).describe(ANN, CHAT)
    assert overview is not None
    assert overview.questions == ("Delete it?", "Send it?")
