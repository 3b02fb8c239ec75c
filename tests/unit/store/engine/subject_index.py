"""Whom rows are about, and since when they are kept, is found by an index that every write keeps."""

from __future__ import annotations

from dataclasses import replace

from parley.core.hitl.records import QUESTION_PREFIX, QuestionRecord
from parley.core.model.address import Conversation, User, account_key
from parley.core.model.codec import encode
from parley.core.model.feedback import AnswerWithButtons, FeedbackPrompt
from parley.core.model.options import DecisionRules
from parley.core.model.questions import Decision, Question
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.ports.subject_index import OLDEST, iter_before
from parley.core.ports.subjects import DATED_DOCUMENTS
from parley.core.privacy.retention import delete_settled_questions
from parley.core.state.conversations import ConversationRecord
from parley.core.state.feedback import answer_key, delete_feedback_before, prompt_key
from parley.store.interface import Store
from parley.store.retention import DAY
from tests.kit.store.nodes import Clock, bodies, finish_next

HOUR = 3_600.0
ANN, BOB = User("test", 'an"n:1', "Ann"), User("test", "bob", "Bob")


def said(user: User, chat: str) -> str:
    place = Conversation("test", chat, "a topic")
    return encode(InboundMessage("m", place, user, "hello", addressed=True, private=True, sent_at=1.0))


async def about(store: Store, user: User) -> list[str]:
    """The chats of their items."""
    word, chats = f'"id":{encode(user).partition(chr(34) + "id" + chr(34) + ":")[2].partition(",")[0]}', []
    after, more = 0, True
    while more:
        page = await store.search((word,), (), after, (account_key(user),))
        chats += [kept.item.lane for kept in page.items]
        after, more = page.after, page.more
    return chats


async def documents(store: Store, user: User) -> list[str]:
    return [each.key for each in await store.documents_about((account_key(user),), "thread/")]


def answer(turn: str, at: float) -> Document:
    """A turn's answer that may be rated."""
    return Document(answer_key(turn), encode(AnswerWithButtons("r", "t", "test:c", "test:bob", at)), 0)


def prompt(message: str, at: float) -> Document:
    """A message that asks what was wrong."""
    return Document(prompt_key("test", message), encode(FeedbackPrompt("t", "test:c", BOB, at)), 0)


def question(name: str, asked: float, *, decided: float = 0.0, dropped: bool = False) -> Document:
    """A question, open until it was decided or dropped."""
    decision = Decision("approve", "", BOB, decided) if decided else None
    record = QuestionRecord(
        *(Question(name, "May I?"), "i", "t", "thread", "test:c", "test:c", BOB),
        *(True, "m", "en", asked, DecisionRules()),
        decision=decision,
        dropped=dropped,
    )
    return Document(f"{QUESTION_PREFIX}{name}", encode(record), 0)


async def dated(store: Store, prefix: str, until: float) -> list[str]:
    return [each.key.removeprefix(prefix) async for each in iter_before(store, prefix, until)]


class SubjectIndexPromises:
    async def test_items_are_found_by_whom_they_are_about(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", said(ANN, "c1")))
        await a.put(*(NewQueueItem("in", f"y{n}", said(BOB if n % 2 else ANN, "c2")) for n in range(6)))
        assert await about(a, ANN) == ["x", "y0", "y2", "y4"]
        assert await about(a, BOB) == ["y1", "y3", "y5"]
        assert await about(a, User("test", "nobody")) == []

    async def test_an_item_is_found_by_its_lane_whatever_its_body(self, a: Store) -> None:
        await a.put(
            NewQueueItem("in", "x", "nothing"), NewQueueItem("out", "x", ""), NewQueueItem("in", "y", "x")
        )
        page = await a.search((), ("x",), 0, ("test:nobody",))
        assert bodies(kept.item for kept in page.items) == ["nothing", ""]

    async def test_a_replaced_item_is_about_whom_it_names_now(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", said(ANN, "c1"), slot="s", delay=10))
        await a.put(NewQueueItem("in", "x", said(BOB, "c1"), slot="s", delay=10))
        assert await about(a, ANN) == []
        assert await about(a, BOB) == ["x"]

    async def test_what_is_removed_or_pruned_is_in_the_index_no_more(self, a: Store, clock: Clock) -> None:
        (first, _) = await a.put(
            NewQueueItem("in", "x", said(ANN, "1")), NewQueueItem("in", "y", said(ANN, "2"))
        )
        await a.remove([first or 0])
        assert await about(a, ANN) == ["y"]
        await finish_next(a)
        clock.advance(30 * DAY)
        await a.prune(clock.now)
        assert await about(a, ANN) == []

    async def test_documents_are_found_by_whom_they_are_about_now(self, a: Store) -> None:
        ann, bob = account_key(ANN), account_key(BOB)
        both = encode(ConversationRecord(voices=((ann,), (bob,)), said=("hello",)))
        first = await a.set(Document("thread/test:1", both, 0))
        await a.set(Document("thread/test:2", encode(ConversationRecord(owner=bob)), 0))
        await a.set(Document("other/test:3", both, 0))
        assert await documents(a, ANN) == ["thread/test:1"]
        assert await documents(a, BOB) == ["thread/test:1", "thread/test:2"]
        page = await a.documents_about((ann, bob), "thread/", 1, "thread/test:1")
        assert [each.key for each in page] == ["thread/test:2"]
        await a.set(replace(first, body=encode(ConversationRecord(owner=ann))))
        await a.delete("thread/test:2")
        assert await documents(a, ANN) == ["thread/test:1"]
        assert await documents(a, BOB) == []

    async def test_documents_of_a_finished_item_are_in_the_index(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", said(ANN, "c1")))
        (claim,) = await a.claim("in", 1)
        record = Document("thread/test:1", encode(ConversationRecord(owner=account_key(ANN))), 0)
        await a.done(claim, claim.items, puts=[NewQueueItem("out", "z", said(ANN, "c1"))], documents=[record])
        assert await about(a, ANN) == ["x", "z"]
        assert await documents(a, ANN) == ["thread/test:1"]
        assert not await a.index_slice()

    async def test_documents_are_found_by_their_time_the_oldest_first(self, a: Store) -> None:
        """Also those of one hour, of which only some are past their time."""
        times = {"c": 3.0, "a": 5 * HOUR, "b": 5 * HOUR + 10, "d": 5 * HOUR + 20, "e": 9 * HOUR}
        for turn, at in times.items():
            await a.set(answer(turn, at))
            await a.set(prompt(turn, at))
        assert await dated(a, "rateable/", 5 * HOUR + 20) == ["c", "a", "b"]
        assert await dated(a, "rateable/", 99 * HOUR) == ["c", "a", "b", "d", "e"]
        assert await dated(a, "rateable/", 3.0) == []
        assert await dated(a, "feedback-prompt/", 5 * HOUR) == ["test:c"]
        found = list[str]()
        after = OLDEST
        while page := await a.documents_until(5, "rateable/", 2, after):
            assert len(page) <= 2
            found += [document.key for _, document in page]
            after = page[-1][0], page[-1][1].key
        assert found == [answer_key(turn) for turn in ("c", "a", "b", "d")]

    async def test_a_question_counts_from_when_it_was_settled(self, a: Store) -> None:
        for each in (
            question("open", HOUR),
            question("dropped", HOUR, dropped=True),
            question("decided", HOUR, decided=6 * HOUR),
        ):
            await a.set(each)
        assert await dated(a, "question/", 5 * HOUR) == ["dropped"]
        assert await dated(a, "question/", 7 * HOUR) == ["dropped", "decided"]
        late = await a.get(f"{QUESTION_PREFIX}open")
        await a.set(replace(late, body=question("open", HOUR, decided=4 * HOUR).body))
        assert await dated(a, "question/", 5 * HOUR) == ["dropped", "open"]
        assert await delete_settled_questions(a, 5 * HOUR) == 2
        assert await dated(a, "question/", 99 * HOUR) == ["decided"]

    async def test_what_is_past_its_time_goes_with_its_place_in_the_index(self, a: Store) -> None:
        for number in range(7):
            await a.set(answer(f"t{number}", number * HOUR))
            await a.set(prompt(f"m{number}", number * HOUR))
        assert await delete_feedback_before(a, 4 * HOUR) == 0, "people had said nothing"
        for prefix in DATED_DOCUMENTS:
            left = {"rateable/": ["t4", "t5", "t6"], "feedback-prompt/": ["test:m4", "test:m5", "test:m6"]}
            assert await dated(a, prefix, 99 * HOUR) == left.get(prefix, [])
        assert len(await a.documents_until(99, "rateable/") or ()) == 3

    async def test_what_is_damaged_stays_and_hides_nothing(self, a: Store) -> None:
        bodies_ = (
            *("no JSON", "[1]", '{"at":"soon"}', '{"at":1e999}', '{"at":true}', '{"decision":1}'),
            *(f'{{"at":1{"0" * 400}}}', '{"decision":{"at":1' + "0" * 400 + "}}", "[" * 2_000),
        )
        for prefix in DATED_DOCUMENTS:
            for number, body in enumerate(bodies_):
                await a.set(Document(f"{prefix}bad{number}", body, 0))
        await a.set(answer("old", HOUR))
        await delete_feedback_before(a, 99 * HOUR)
        assert await delete_settled_questions(a, 99 * HOUR) == 0
        for prefix in DATED_DOCUMENTS:
            assert len(await a.list(prefix)) == len(bodies_)
