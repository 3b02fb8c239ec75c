"""kill -9 at every instant: whatever was said is answered once."""

from __future__ import annotations

import asyncio

from parley.core.model.attachments import AttachmentKind, StoredFile
from tests.contract.driver import Place, Trouble
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told, answering, silent
from tests.contract.promise import needs
from tests.contract.promises.delivery import assert_once, without_doubled
from tests.kit.doubles.core import echo
from tests.kit.machine import patience

# In real time, because nothing happens where all is well: on a slow machine it can only miss a fault.
_HARM = patience(0.1)
"""Seconds in which an acknowledgement or a receipt that comes too early does its harm."""
_TEXT = "This is the whole answer, which was worth waiting for."


@needs("redelivers")
async def promise_crash_before_accepting(scene: Scene) -> None:
    """A message that was received but not yet stored is delivered again after a crash."""
    place = await scene.driver.private()
    scene.journal.holding.clear()
    await scene.driver.say(place, "hold on to this")
    await scene.until(lambda: scene.journal.attempts, "the message to be heard")
    await asyncio.sleep(_HARM)
    await scene.restart()
    await scene.until_done(place)
    assert await scene.answers(place) == ["you said hold on to this"]
    assert scene.agent.texts == ["hold on to this"]


async def promise_crash_after_accepting(scene: Scene) -> None:
    """A stored message is answered after a crash, although the platform does not deliver it again."""
    place = await scene.driver.private()
    scene.agent.script = silent
    await scene.driver.say(place, "hold on to this")
    await scene.until(lambda: scene.watch.heard, "the message to be accepted")
    await scene.crash()
    scene.agent.script = echo
    await scene.start()
    await scene.until_done(place)
    assert await scene.answers(place) == ["you said hold on to this"]


async def promise_crash_while_growing(scene: Scene) -> None:
    """After a crash in the middle of an answer the same run and the same answer continue."""
    await _crash_while_growing(scene, await scene.driver.private(), "tell me all")


async def promise_crash_while_growing_among_others(scene: Scene) -> None:
    """After a crash in a group the message that was growing becomes the final one."""
    place = (await scene.driver.topics(1))[-1] if scene.driver.traits.topics else await scene.driver.group()
    await _crash_while_growing(scene, place, scene.to_bot("tell me all"))
    # The message had grown twice, so that it was noted: nothing unfinished may stand beside the answer.
    assert await scene.answers(place) == [_TEXT]


async def promise_crash_before_sending(scene: Scene) -> None:
    """A stored answer that was not sent is sent after a crash, without asking the agent again."""
    place = await scene.driver.private()
    scene.agent.script = answering(_TEXT)
    scene.watch.before_final = True
    await scene.driver.say(place, "tell me all")
    await scene.until(lambda: scene.watch.stopped, "the answer to be ready")
    await scene.crash()
    scene.watch.before_final = False
    await scene.start()
    await scene.until_done(place)
    assert await scene.answers(place) == [_TEXT]
    assert len(scene.agent.requests) == 1


@needs(Trouble.SLOW)
async def promise_crash_while_sending(scene: Scene) -> None:
    """After a crash while the answer was being sent it appears once, or the doubt is recorded."""
    place = await scene.driver.private()
    scene.agent.script = answering(_TEXT)
    await scene.driver.say(place, "tell me all")
    scene.driver.trouble(Trouble.SLOW, times=6, seconds=4 * _HARM)
    await scene.until(lambda: scene.watch.finals, "the answer to be on its way")
    await asyncio.sleep(_HARM)  # much less than the slow platform takes
    await scene.restart()
    await scene.until_done(place)
    await assert_once(scene, place, _TEXT)
    assert len(scene.agent.requests) == 1


@needs("splits", Trouble.SLOW)
async def promise_crash_between_parts(scene: Scene) -> None:
    """After a crash between two parts of a long answer each part appears once, in order, or the doubt is
    recorded."""
    place, most = await scene.driver.private(), scene.driver.traits.max_part
    words = [f"word{number}" for number in range(most // 3)]
    scene.agent.script = answering(" ".join(words))
    await scene.driver.say(place, "everything")
    scene.driver.trouble(Trouble.SLOW, times=30, seconds=patience(0.1))
    await scene.until_shows(place, words[most // 20])
    await scene.restart()
    await scene.until_done(place)
    whole = without_doubled(scene, [part for part in await scene.answers(place) if _is_whole(part)])
    assert len(whole) > 1
    assert " ".join(whole).split() == words


async def promise_crash_after_sending(scene: Scene) -> None:
    """A sent answer and its file are not sent again when a crash came before that was recorded."""
    place = await scene.driver.private()
    path = scene.folder / "made"
    path.write_bytes(b"a,b\n1,2\n")
    file = StoredFile(AttachmentKind.FILE, "table.csv", "text/csv", 8, str(path))
    scene.agent.script = answering(_TEXT, [file])
    scene.watch.after_final = True
    await scene.driver.say(place, "tell me all")
    await scene.until(lambda: scene.watch.stopped, "the answer to be sent")
    await scene.crash()
    scene.watch.after_final = False
    await scene.start()
    await scene.until_done(place)
    shown = await scene.shown(place)
    assert [message.text for message in shown if message.text] == [_TEXT]
    assert [name for message in shown for name in message.files] == ["table.csv"]


async def promise_crash_again_and_again(scene: Scene) -> None:
    """After several crashes all messages are answered once, in order, or the doubt is recorded."""
    place = await scene.driver.private()
    said = [f"message {number}" for number in range(6)]
    for number, text in enumerate(said):
        await scene.driver.say(place, text)
        if number % 2:
            await scene.until(lambda: scene.watch.heard, "something to be accepted")
            await scene.restart()
    wanted = [f"you said {text}" for text in said]

    async def all_there() -> bool:
        return set(wanted) <= set(await scene.answers(place))

    await scene.until(all_there, "every answer")
    answers = [answer for answer in await scene.answers(place) if _is_whole(answer)]
    assert without_doubled(scene, answers) == wanted


def _is_whole(answer: str) -> bool:
    return not answer.rstrip().endswith("…")


async def _crash_while_growing(scene: Scene, place: Place, question: str) -> None:
    told = Told()
    scene.agent.script = told
    await scene.driver.say(place, question)
    told.says("This is the")
    await scene.until_shows(place, "This is the")
    told.says("This is the whole")
    await scene.until_shows(place, "This is the whole")
    await scene.restart()
    await scene.until_asked(2)
    told.ends(_TEXT)
    await scene.until_done(place)
    assert [answer for answer in await scene.answers(place) if _is_whole(answer)] == [_TEXT]
    first, second = scene.agent.requests
    assert second.turn_id == first.turn_id
    assert second.maybe_made
