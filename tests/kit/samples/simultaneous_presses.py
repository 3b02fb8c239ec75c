"""Two answers to a question in the same instant, as often as it takes to believe that one decides."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial

from parley.core.hitl import audit
from parley.core.hitl.records import question_queue, show_lane
from parley.core.model.address import Conversation
from parley.core.model.questions import Click
from parley.core.model.types import OutboundMessage
from parley.core.texts import Sentence, say
from tests.kit.doubles.core import Core, ScriptedAgent
from tests.kit.machine import patience
from tests.kit.samples.questions import ANN
from tests.kit.waiting import until

_OPTIONS = ("approve", "reject")
_WORDS = "no, not today"
_TOGETHER = 25
"""Questions that are under way at once: a thousand one after the other would only take longer."""


async def two_presses(nodes: Sequence[Core], agent: ScriptedAgent, rounds: int) -> None:
    """Ask so many questions, press both buttons of each at once, on the first and on the last of the nodes,
    and see that each was decided once: for its asker, for the agent, in its message and on record.
    """
    asked = await ask(nodes, rounds)
    for start in range(0, rounds, _TOGETHER):
        pairs = [(final, option) for final in asked[start : start + _TOGETHER] for option in _OPTIONS]
        told = await asyncio.gather(*(press(nodes, final, option) for final, option in pairs))
        check_told(told)
    await until_finals(nodes, 3 * rounds)
    await until_nothing_waits(nodes, asked)
    assert len(finals_of(nodes)) == 3 * rounds
    given = Counter(request.thread for request in agent.requests if request.answer is not None)
    assert (len(given), set(given.values())) == (rounds, {1})
    kinds = [entry.kind async for entry in audit.list_entries(nodes[0].journal)]
    assert kinds.count(audit.AuditKind.DECIDED) == rounds
    check_messages(nodes, rounds)


async def press_and_words(nodes: Sequence[Core], rounds: int) -> None:
    """Ask so many questions, and answer each in words on the first of the nodes while it is pressed on the
    last; see that what was stored first decided, and that who pressed was told just that.
    """
    asked = await ask(nodes, rounds)
    taken = list[bool]()
    for start in range(0, rounds, _TOGETHER):
        some = enumerate(asked[start : start + _TOGETHER])
        taken += await asyncio.gather(*(answer_twice(nodes, final, place) for place, final in some))
    await until_finals(nodes, 3 * rounds + sum(taken))
    await until_nothing_waits(nodes, asked)
    said: defaultdict[str, list[str]] = defaultdict(list)
    for final in finals_of(nodes):
        if final.text.startswith(("given", "you said")):
            said[final.conversation.key].append(final.text)
    for final, pressed in zip(asked, taken, strict=True):
        # Words that came too late to decide are what is talked about after the decision.
        after = ["given i1=approve", f"you said {_WORDS}"] if pressed else [f"given i1={_WORDS}"]
        assert sorted(said[final.conversation.key]) == after
    kinds = [entry.kind async for entry in audit.list_entries(nodes[0].journal)]
    assert kinds.count(audit.AuditKind.DECIDED) == rounds
    assert 0 < sum(taken) < rounds, "now one was first and now the other"


async def answer_twice(nodes: Sequence[Core], final: OutboundMessage, place: int) -> bool:
    """Answer one question in both ways; return whether who pressed was told that it counts.

    Of three neighbours one is told in words first, one is pressed first, and one both at the same time.
    """
    here, taken = final.conversation, say("en", Sentence.QUESTION_TAKEN)

    def worked() -> bool:
        return len([each for each in finals_of(nodes) if each.conversation == here]) > 2

    if place % 3 == 0:
        await nodes[0].say(_WORDS, conversation=here)
        await until(worked, "words decide a question")
        told = await press(nodes[-1:], final, _OPTIONS[0])
    elif place % 3 == 1:
        told = await press(nodes[-1:], final, _OPTIONS[0])
        await nodes[0].say(_WORDS, conversation=here)
    else:
        said = asyncio.create_task(nodes[0].say(_WORDS, conversation=here))
        await asyncio.sleep(place / 500)  # mostly until the words are worked, somewhere
        told = await press(nodes[-1:], final, _OPTIONS[0])
        await said
    assert told == taken or f"Ann: “{_WORDS}”" in told
    return told == taken


async def ask(nodes: Sequence[Core], rounds: int) -> Sequence[OutboundMessage]:
    """Ask so many questions on the first of the nodes, each in a chat of its own; return what shows them."""
    for start in range(0, rounds, _TOGETHER):
        chats = [Conversation("test", f"chat{number}") for number in range(start, start + _TOGETHER)]
        await asyncio.gather(*(nodes[0].say("ask", conversation=chat) for chat in chats))
    await until_finals(nodes, 2 * rounds)
    asked = [final for final in finals_of(nodes) if final.question is not None]
    assert len(asked) == rounds
    return asked


async def press(nodes: Sequence[Core], final: OutboundMessage, option: str) -> str:
    """Return what whoever pressed is told."""
    node = nodes[0] if option == _OPTIONS[0] else nodes[-1]
    assert final.question is not None
    click = Click(
        f"{final.turn_id} {option}", final.question.id, option, ANN, final.conversation, private=True
    )
    return await node.clicks.submit(click)


def check_told(told: Sequence[str]) -> None:
    """Of the two who pressed, one is told that it counts, and one what was decided instead."""
    taken = say("en", Sentence.QUESTION_TAKEN)
    for pair in zip(told[::2], told[1::2], strict=True):
        assert pair.count(taken) == 1, pair
        assert any("Ann: " in words for words in pair), pair


def finals_of(nodes: Sequence[Core]) -> list[OutboundMessage]:
    return [final for node in nodes for final in node.channel.finals]


async def until_finals(nodes: Sequence[Core], count: int) -> None:
    """Wait until so much was said on all nodes together."""
    async with asyncio.timeout(patience(240)):
        while sum(len(node.channel.finals) for node in nodes) < count:
            news = [asyncio.create_task(node.channel.news.wait()) for node in nodes]
            await asyncio.wait(news, return_when=asyncio.FIRST_COMPLETED)
            for node, task in zip(nodes, news, strict=True):
                task.cancel()
                node.channel.news.clear()


async def until_nothing_waits(nodes: Sequence[Core], asked: Sequence[OutboundMessage]) -> None:
    """Wait until the second press of each pair was worked, too."""
    queue = question_queue("test")
    for final in asked:
        assert final.question is not None
        turn = final.question.id.rpartition("-")[0]
        for lane in (turn, show_lane(turn)):
            await until(partial(nodes[0].nothing_waits, queue, lane), f"{lane} is worked")


def check_messages(nodes: Sequence[Core], rounds: int) -> None:
    """Each question's message names one option: the one that its agent was given."""
    told = {final.conversation.key: final.text for final in finals_of(nodes) if "given" in final.text}
    settled = [snapshot for node in nodes for _, snapshot in node.channel.settled]
    assert len({snapshot.turn_id for snapshot in settled}) == rounds
    for snapshot in settled:
        approved = "Ann: Approve" in snapshot.text
        assert approved != ("Ann: Refuse" in snapshot.text)
        assert approved == told[snapshot.conversation.key].endswith("approve")
