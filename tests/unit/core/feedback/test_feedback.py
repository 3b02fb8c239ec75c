"""What people think of answers: taken, replaced, asked words for, and passed on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from parley.core.feedback.presses import press_item
from parley.core.feedback.worker import handle_feedback
from parley.core.model.address import Conversation, User
from parley.core.model.codec import decode
from parley.core.model.feedback import CommentWay, Feedback, FeedbackChoice, rated_turn
from parley.core.model.options import ChannelOptions, ChatOptions, CoreOptions
from parley.core.model.questions import Click
from parley.core.model.queues import feedback_delivery_queue
from parley.core.model.types import SessionSettings
from parley.core.ports.journal import Claim, Journal, QueueItem
from parley.core.state.feedback import (
    ANSWER_PREFIX,
    FEEDBACK_PREFIX,
    PROMPT_PREFIX,
    delete_feedback_before,
    delete_feedback_in,
    feedback_of_accounts,
    feedback_prefix,
)
from parley.core.texts import Sentence, say
from tests.kit.doubles.core import Core, RecordingChannel, ScriptedAgent, core, default_options
from tests.kit.waiting import until


class DeletingJournal:
    """A journal in which an answer is deleted once, just after it was looked at."""

    def __init__(self, inner: Journal) -> None:
        self.inner = inner
        self.looked = False

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    async def done(self, claim: Claim, items: Sequence[QueueItem], **more: object) -> None:
        if not self.looked:
            self.looked = True
            await delete_feedback_in(self.inner, CHAT.key)
        await self.inner.done(claim, items, **more)  # type: ignore[arg-type]


ANN, BOB = (User("test", who, who.title()) for who in ("ann", "bob"))
CHAT, TEAM = Conversation("test", "chat"), Conversation("test", "team")
NOTED, HOW = say("en", Sentence.FEEDBACK_NOTED), say("en", Sentence.FEEDBACK_NOTED_HOW)


def options(**changes: object) -> CoreOptions:
    channel = ChannelOptions(
        SessionSettings("agent"), allowed_users=frozenset({"ann", "bob"}), burst_window=0.0, feedback=True
    )
    changed = replace(channel, **changes)  # type: ignore[arg-type]
    return default_options(channels={"test": changed}, feedback_destinations=("webhook",))


@asynccontextmanager
async def rated(
    folder: Path,
    channel: RecordingChannel | None = None,
    made: CoreOptions | None = None,
    place: Conversation = CHAT,
) -> AsyncIterator[tuple[Core, str]]:
    """A core that has answered once, and the turn of its answer."""
    async with core(folder, channel=channel, options=made or options()) as parley:
        await parley.say("hello", conversation=place, private=place == CHAT)
        await parley.channel.until_finals(1)
        await until(lambda: parley.nothing_waits("turns/test"), "the turn is over")
        yield parley, parley.channel.finals[0].turn_id


def press(turn: str, option: str = "up", who: User = ANN, number: int = 0, **changes: object) -> Click:
    click = Click(f"p{number}:{option}:{who.id}", f"feedback:{turn}", option, who, CHAT, private=True)
    return replace(click, **changes)  # type: ignore[arg-type]


async def kept(parley: Core, prefix: str = FEEDBACK_PREFIX) -> list[Feedback]:
    return [decode(Feedback, each.body) for each in await parley.journal.list(prefix, 100)]


async def worked(parley: Core, who: User = ANN) -> None:
    await until(lambda: parley.nothing_waits("feedback/test", f"test:{who.id}"), "the presses are worked")


async def deliveries(parley: Core, who: User, turn: str) -> list[Feedback]:
    waiting = await parley.journal.waiting(feedback_delivery_queue("webhook"), f"test:{who.id}/{turn}")
    return [decode(Feedback, each.body) for each in waiting]


async def test_a_press_is_kept_with_the_run_it_is_about(tmp_path: Path) -> None:
    async with rated(tmp_path) as (parley, turn):
        assert parley.channel.finals[0].rateable
        assert await parley.clicks.submit(press(turn)) == NOTED
        await worked(parley)
        (found,) = await kept(parley)
        assert (found.account, found.turn, found.choice) == ("test:ann", turn, FeedbackChoice.UP)
        assert (found.conversation, found.run_id) == ("test:chat", f"run of {turn}")
        assert found.thread == parley.agent.requests[0].thread
        assert await deliveries(parley, ANN, turn) == [found]


async def test_of_each_person_the_last_choice_counts(tmp_path: Path) -> None:
    async with rated(tmp_path) as (parley, turn):
        for number, each in enumerate(("up", "up", "down", "down")):
            await parley.clicks.submit(press(turn, each, number=number))
        await parley.clicks.submit(press(turn, "up", BOB))
        await worked(parley)
        await worked(parley, BOB)
        choices = {each.account: each.choice for each in await kept(parley)}
        assert choices == {"test:ann": FeedbackChoice.DOWN, "test:bob": FeedbackChoice.UP}
        counts = parley.services.deliveries
        assert (counts.liked["test"], counts.disliked["test"]) == (2, 1)
        (told,) = await deliveries(parley, ANN, turn)
        assert told.choice is FeedbackChoice.DOWN


async def test_a_press_that_comes_twice_is_one(tmp_path: Path) -> None:
    async with rated(tmp_path) as (parley, turn):
        for each in (press(turn, "down"), press(turn, "up", number=1), press(turn, "down")):
            await parley.clicks.submit(each)
        await worked(parley)
        assert [each.choice for each in await kept(parley)] == [FeedbackChoice.UP]


async def test_words_stay_with_the_same_thumb_and_go_with_the_other(tmp_path: Path) -> None:
    async with rated(tmp_path) as (parley, turn):
        await parley.clicks.submit(press(turn, "down", text="  wrong year "))
        await parley.clicks.submit(press(turn, "down", number=1))
        await worked(parley)
        assert [each.comment for each in await kept(parley)] == ["wrong year"]
        await parley.clicks.submit(press(turn, "up", number=2, text="not kept"))
        await worked(parley)
        assert [each.comment for each in await kept(parley)] == [""]


async def test_hostile_words_are_cut_and_cleaned(tmp_path: Path) -> None:
    async with rated(tmp_path) as (parley, turn):
        await parley.clicks.submit(press(turn, "down", text="bad\x00\u202e" + "x" * 100_000))
        await worked(parley)
        (found,) = await kept(parley)
        assert len(found.comment) <= 2_000
        assert not {"\x00", "\u202e"} & set(found.comment)


@pytest.mark.parametrize(
    "wrong", [{"option": "sideways"}, {"question": "feedback:"}, {"sender": User("test", "eve")}]
)
async def test_who_may_not_talk_rates_nothing_and_nonsense_is_nothing(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    async with rated(tmp_path) as (parley, turn):
        told = await parley.clicks.submit(replace(press(turn), **wrong))  # type: ignore[arg-type]
        assert told == say("en", Sentence.HOME_REFUSED)
        assert not await kept(parley)


async def test_an_answer_is_rated_where_it_was_given(tmp_path: Path) -> None:
    """A button's value may be forged; of an old message the platform may not tell the topic."""
    async with rated(tmp_path) as (parley, turn):
        told = await parley.clicks.submit(press(turn, conversation=TEAM, private=False))
        assert told == say("en", Sentence.FEEDBACK_STALE)
        await parley.journal.put(press_item(press(turn, conversation=TEAM, private=False)))
        await worked(parley)
        assert not await kept(parley)
        assert await parley.clicks.submit(press(turn, conversation=replace(CHAT, topic="old"))) == NOTED


@pytest.mark.parametrize("ends", ["deleted", "refused"])
async def test_a_press_that_waits_when_its_answer_goes_is_nothing(tmp_path: Path, ends: str) -> None:
    async with rated(tmp_path) as (parley, turn):
        await parley.crash()
        await parley.clicks.submit(press(turn, "down", text="wrong"))
        if ends == "deleted":
            await delete_feedback_in(parley.journal, CHAT.key)
    allowed = frozenset({"bob"} if ends == "refused" else {"ann", "bob"})
    async with core(tmp_path, options=options(allowed_users=allowed)) as parley:
        await worked(parley)
        assert not await kept(parley)


async def test_an_answer_that_is_deleted_while_a_press_is_worked_is_not_kept(tmp_path: Path) -> None:
    """Whatever comes in between: its document is written with what is thought of it."""
    async with rated(tmp_path) as (parley, turn):
        await parley.crash()
        await parley.clicks.submit(press(turn, "down", text="wrong"))
        journal = parley.services.journal
        (claim,) = await journal.claim("feedback/test", 1)
        services = replace(parley.services, journal=cast("Journal", DeletingJournal(journal)))
        await handle_feedback(services, claim)
        assert not await kept(parley)
        assert not await deliveries(parley, ANN, turn)
        assert await parley.nothing_waits("feedback/test", "test:ann")


async def test_the_time_of_a_press_is_the_stores(tmp_path: Path) -> None:
    """Clocks of nodes differ, and of two presses the last counts: also when the words came first."""
    async with rated(tmp_path) as (parley, turn):
        await parley.crash()
        await parley.clicks.submit(press(turn, "down", text="wrong"))
        await parley.clicks.submit(press(turn, "up", number=1))
        waiting = await parley.journal.waiting("feedback/test", "test:ann")
    async with core(tmp_path, options=options()) as parley:
        await worked(parley)
        (found,) = await kept(parley)
        assert (found.first_at, found.at) == (waiting[0].put_at, waiting[1].put_at)
        assert found.choice is FeedbackChoice.UP


async def test_an_answer_that_is_not_known_cannot_be_rated(tmp_path: Path) -> None:
    async with rated(tmp_path) as (parley, _):
        told = await parley.clicks.submit(press("another-turn"))
        assert told == say("en", Sentence.FEEDBACK_STALE)


@pytest.mark.parametrize(
    ("changes", "rateable"),
    [
        ({"feedback": False}, False),
        ({"feedback": False, "chats": {"chat": ChatOptions(feedback=True)}}, True),
        ({"chats": {"chat": ChatOptions(feedback=False)}}, False),
    ],
)
async def test_a_chat_of_its_own_says_whether_its_answers_are_rated(
    tmp_path: Path, changes: dict[str, object], rateable: bool
) -> None:
    async with rated(tmp_path, made=options(**changes)) as (parley, _):
        assert parley.channel.finals[0].rateable is rateable
        assert bool(await parley.journal.list(ANSWER_PREFIX, 10)) is rateable


async def test_commands_are_not_rated(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        await parley.say("/help")
        await parley.channel.until_finals(1)
        assert not parley.channel.finals[0].rateable


async def test_in_a_group_only_the_one_who_pressed_hears_how_to_say_why(tmp_path: Path) -> None:
    async with rated(tmp_path, place=TEAM) as (parley, turn):
        told = await parley.clicks.submit(press(turn, "down", conversation=TEAM, private=False))
        assert told == HOW
        await worked(parley)
        assert len(parley.channel.finals) == 1
        said = press(turn, "down", number=1, conversation=TEAM, private=False, text="wrong year")
        assert await parley.clicks.submit(said) == NOTED


def asking_channel() -> RecordingChannel:
    channel = RecordingChannel()
    channel.capabilities = replace(channel.capabilities, comments=CommentWay.REPLY)
    return channel


async def test_in_private_words_are_asked_once_and_a_reply_gives_them(tmp_path: Path) -> None:
    async with rated(tmp_path, asking_channel()) as (parley, turn):
        await parley.clicks.submit(press(turn, "down"))
        await parley.channel.until_finals(2)
        prompt = parley.channel.finals[1]
        assert prompt.text == say("en", Sentence.FEEDBACK_ASK)
        lane = f"test:ann/{turn}/words"
        await until(lambda: parley.nothing_waits("feedback/test", lane), "the prompt is noted")
        await parley.clicks.submit(press(turn, "up", number=1))
        await parley.clicks.submit(press(turn, "down", number=2))
        await worked(parley)
        await parley.say("the year\nis wrong", replies_to=prompt.turn_id)
        assert (await parley.channel.until_finals(3))[2] == NOTED
        await worked(parley)
        assert [each.comment for each in await kept(parley)] == ["the year\nis wrong"]
        assert len(parley.agent.requests) == 1, "the words were for us, not for the agent"


async def test_whoever_ignores_the_question_goes_on_talking(tmp_path: Path) -> None:
    async with rated(tmp_path, asking_channel()) as (parley, turn):
        await parley.clicks.submit(press(turn, "down"))
        await parley.channel.until_finals(2)
        await parley.say("and tomorrow?")
        assert (await parley.channel.until_finals(3))[2] == "you said and tomorrow?"


async def test_a_reply_of_somebody_else_rates_nothing_of_theirs(tmp_path: Path) -> None:
    async with rated(tmp_path, asking_channel()) as (parley, turn):
        await parley.clicks.submit(press(turn, "down"))
        await parley.channel.until_finals(2)
        await until(lambda: parley.nothing_waits("feedback/test", f"test:ann/{turn}/words"), "it is noted")
        await parley.say("me too", sender=BOB, replies_to=parley.channel.finals[1].turn_id)
        await parley.channel.until_finals(3)
        await worked(parley, BOB)
        mine = [each for each in await kept(parley) if each.account == "test:ann"]
        assert [each.comment for each in mine] == [""]


async def test_the_command_rates_the_last_answer(tmp_path: Path) -> None:
    async with rated(tmp_path) as (parley, turn):
        for number, (line, told) in enumerate(
            (
                ("/feedback", Sentence.FEEDBACK_HOW),
                ("/feedback perhaps", Sentence.FEEDBACK_HOW),
                ("/feedback bad it is wrong", Sentence.FEEDBACK_NOTED),
            )
        ):
            await parley.say(line)
            assert (await parley.channel.until_finals(number + 2))[-1] == say("en", told)
        await worked(parley)
        (found,) = await kept(parley)
        assert (found.turn, found.choice, found.comment) == (turn, FeedbackChoice.DOWN, "it is wrong")
        await parley.say("/feedback 👍")
        await parley.channel.until_finals(5)
        await worked(parley)
        assert [each.choice for each in await kept(parley)] == [FeedbackChoice.UP]


@pytest.mark.parametrize(
    ("feedback", "told"), [(True, Sentence.FEEDBACK_NOTHING), (False, Sentence.FEEDBACK_OFF)]
)
async def test_the_command_says_why_it_rates_nothing(tmp_path: Path, feedback: bool, told: Sentence) -> None:
    async with core(tmp_path, options=options(feedback=feedback)) as parley:
        await parley.say("/feedback good")
        assert (await parley.channel.until_finals(1))[0] == say("en", told)


async def test_a_press_survives_a_crash_and_goes_on_to_the_services(tmp_path: Path) -> None:
    async with rated(tmp_path) as (parley, turn):
        await parley.crash()
        await parley.clicks.submit(press(turn, "down", text="wrong"))
        assert not await kept(parley)
    async with core(tmp_path, options=options(), agent=ScriptedAgent()) as parley:
        await until(lambda: kept(parley), "the press is kept after the crash")
        (found,) = await deliveries(parley, ANN, turn)
        assert found.comment == "wrong"


async def test_what_is_old_goes_and_what_a_person_or_a_conversation_has_is_found(tmp_path: Path) -> None:
    async with rated(tmp_path, asking_channel()) as (parley, turn):
        await parley.clicks.submit(press(turn, "down"))
        await parley.clicks.submit(press(turn, "up", BOB))
        await until(lambda: parley.journal.list(PROMPT_PREFIX, 1), "words are asked")
        await worked(parley, BOB)
        found = [each.key async for each in feedback_of_accounts(parley.journal, ("test:ann",))]
        assert [key.partition("/")[0] for key in found] == ["feedback", "rateable", "feedback-prompt"]
        assert await delete_feedback_before(parley.journal, 0.0) == 0
        await delete_feedback_in(parley.journal, "test:elsewhere")
        assert len(await kept(parley)) == 2
        await delete_feedback_in(parley.journal, "test:chat")
        assert not [each async for each in feedback_of_accounts(parley.journal, ("test:ann", "test:bob"))]
        assert not await kept(parley, feedback_prefix("test:bob"))


@pytest.mark.parametrize("question", ["", "other:1", "feedback:" + "x" * 300])
def test_other_presses_rate_no_turn(question: str) -> None:
    assert rated_turn(press("t", question=question)) == ""
