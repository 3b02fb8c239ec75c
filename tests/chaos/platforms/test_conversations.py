"""What is read out of a chat, and what a platform can do wrong."""

import random
from collections.abc import Sequence

import pytest

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.chaos.accounting.ledger import Shown
from tests.chaos.accounting.progress import ProgressBoard
from tests.chaos.planning.plan import KINDS, TROUBLES, Line, Said, echo
from tests.chaos.platforms.conversations import SimulatedConversation, file_of, with_words_of_files
from tests.chaos.platforms.dingtalk import FaultyDingTalk
from tests.chaos.platforms.feishu import FaultyFeishu
from tests.chaos.platforms.slack import FaultySlack
from tests.chaos.platforms.telegram import FaultyTelegram

_DICE = random.Random(1)
_SAID = tuple(echo(f"c00n{number:03}", _DICE) for number in range(3))
_WORDS = "Here is a file with what you said so far."


class SilentPlace(SimulatedConversation):
    """Nobody answers here."""

    async def send(self, said: Said, board: ProgressBoard) -> None:
        return

    def look(self) -> list[Shown]:
        return []


def place(said: Sequence[Said] = _SAID) -> SilentPlace:
    return SilentPlace(Line(KINDS[1], tuple(said)))


def test_an_answer_is_whole_when_all_of_it_is_there_and_it_does_not_grow():
    said = _SAID[0]
    answer = f"Hello!\n\nYou said: {said.text}"
    assert place().read("", answer).whole
    assert not place().read("", answer[:-2]).whole
    assert not place().read("", answer, growing=True).whole
    assert place().read("", answer).answers == said.id


def test_an_answer_to_somebody_else_is_none():
    assert not place(_SAID[1:]).read("", f"You said: {_SAID[0].text}").whole


def test_the_words_for_a_file_belong_to_the_file_behind_them():
    file = file_of("notes.md", b"# What you said\n\n- c00n000 one\n- Make a file c00n001\n")
    words, found = with_words_of_files([Shown("", _WORDS, whole=False), file])
    assert (words.answers, words.whole, found.answers, found.file) == ("c00n001", True, "c00n001", True)
    assert not with_words_of_files([file, Shown("", _WORDS, whole=False)])[1].whole


@pytest.mark.parametrize(
    ("simulator", "chaotic"),
    [
        (TelegramSimulator, FaultyTelegram),
        (SlackSimulator, FaultySlack),
        (FeishuSimulator, FaultyFeishu),
        (DingTalkSimulator, FaultyDingTalk),
    ],
    ids=["telegram", "slack", "feishu", "dingtalk"],
)
async def test_every_trouble_of_the_plan_can_be_made(simulator, chaotic):
    with simulator() as running:
        platform = chaotic(running)
        for trouble in dict(TROUBLES)[platform.name]:
            platform.cause(trouble)
