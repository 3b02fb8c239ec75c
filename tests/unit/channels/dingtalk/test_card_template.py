"""The template file for the card platform: the simulated one imports it, and shows answers and questions."""

import json
from pathlib import Path

import pytest

from parley.channels.dingtalk.card_template import build_template
from parley.core.model.questions import STOP_OPTION, STOP_QUESTION, Option, Question, QuestionKind
from parley.simulator.dingtalk.card_templates import read_template
from tests.kit.platforms.dingtalk_channel import KeepingInbox, Notes, listening, make_channel, snapshot

FILE = Path(__file__).parents[4] / "docs" / "dingtalk-card.json"
MAIL = Question(
    "turn-2", "", (Option("approve", "Approve"), Option("reject", "Reject")), kind=QuestionKind.APPROVAL
)


class DecidingInbox(KeepingInbox):
    """Keeps what was pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.options: list[str] = []
        self.questions: list[str] = []

    async def decide(self, click):
        self.options.append(click.option)
        self.questions.append(click.question)
        return "Noted."


@pytest.fixture
def channel(world):
    made = world.sim.world.import_template(FILE.read_text("utf-8"))
    return make_channel(world.sim, card_template_id=made, question_template_id=made)


def test_the_file_in_the_documents_is_what_the_command_prints():
    assert json.loads(FILE.read_text("utf-8")) == build_template(), (
        "python -m parley.channels.dingtalk.card_template > docs/dingtalk-card.json"
    )


async def test_an_answer_grows_on_it(world, channel):
    reply = channel.open_reply(world.target(), Notes())
    await reply.show(snapshot(""))
    await reply.show(snapshot("one"))
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.growing, card.buttons) == ("one", True, ("Stop",))
    await reply.finish(snapshot("one two", final=True))
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.growing, card.buttons) == ("one two", False, ())


async def test_the_stop_button_stands_under_the_last_card_while_it_grows(world, channel):
    """Whoever presses is told; an answer that another process began loses its button, too."""
    inbox, notes = DecidingInbox(), Notes()
    async with listening(channel, inbox):
        reply = channel.open_reply(world.target(), notes)
        await reply.show(snapshot("word " * 900))
        first, second = world.people.messages(world.alice.id)
        assert (first.buttons, second.buttons) == ((), ("Stop",))
        world.people.press(world.alice.id, world.alice.id, second.id, "Stop")
        await world.until(lambda: world.people.told(world.alice.id, world.alice.id))
        assert world.people.told(world.alice.id, world.alice.id) == ("Noted.",)
        assert inbox.options == [STOP_OPTION]
        assert inbox.questions == [f"{STOP_QUESTION}{world.target().turn_id}"]
        again = channel.open_reply(world.target(handle=notes.last), Notes())
        await again.finish(snapshot("word " * 900, final=True))
    assert not any(card.buttons for card in world.people.messages(world.alice.id))


async def test_a_question_on_it_has_buttons_a_notice_and_then_what_was_decided(world, channel):
    inbox, notes = DecidingInbox(), Notes()
    async with listening(channel, inbox):
        reply = channel.open_reply(world.target(turn="turn-2"), notes)
        await reply.finish(snapshot("Shall it be sent?", question=MAIL))
        (card,) = world.people.messages(world.alice.id)
        assert (card.text, card.growing, card.buttons) == ("Shall it be sent?", False, ("Approve", "Reject"))
        world.people.press(world.alice.id, world.alice.id, card.id, "Approve")
        await world.until(lambda: world.people.told(world.alice.id, world.alice.id))
        assert world.people.told(world.alice.id, world.alice.id) == ("Noted.",)
        assert inbox.options == ["approve"]
        again = channel.open_reply(world.target(handle=notes.last, turn="turn-2"), Notes())
        await again.settle(snapshot("Sent."))
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.buttons) == ("Sent.", ())


async def test_its_variables_are_those_that_are_sent(world, channel):
    """Nothing else is taken, and nothing is declared in vain."""
    await test_a_question_on_it_has_buttons_a_notice_and_then_what_was_decided(world, channel)
    reply = channel.open_reply(world.target(), Notes())
    world.sim.faults.fail_next("streaming", 400, "param.stream.content")
    await reply.finish(snapshot("whole", final=True))
    sent = {
        name for call in world.sim.calls() for name in call.body.get("cardData", {}).get("cardParamMap", {})
    }
    declared = read_template(FILE.read_text("utf-8"))
    assert sent == declared.types.keys() - declared.private
    assert declared.private == {"note"}
    assert all(call.status == 200 for call in world.sim.calls("update", "createAndDeliver"))


@pytest.mark.parametrize("key", ["other", "note"])
async def test_other_variables_are_refused_on_the_simulated_platform(world, channel, key):
    template = next(reversed(world.sim.world.templates))
    wrong = make_channel(world.sim, card_template_id=template, card_content_key=key)
    await wrong.open_reply(world.target(), Notes()).finish(snapshot("hello", final=True))
    assert [call.status for call in world.sim.calls("createAndDeliver")] == [400]
    assert world.answers() == ("hello",)


def changed(change):
    outer = json.loads(FILE.read_text("utf-8"))
    inner = json.loads(outer["editorData"])
    change(inner)
    return json.dumps(outer | {"editorData": json.dumps(inner)})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda inner: inner["variableList"].pop(), "not declared"),
        (lambda inner: inner["variableList"].pop(2), "not declared: .'note'"),
        (lambda inner: inner["schema"]["componentsMap"].pop(), "not in the map"),
        (lambda inner: inner["variableList"][0].update(type="string"), "no single variable"),
    ],
)
def test_a_file_that_does_not_hold_together_is_not_imported(change, words):
    with pytest.raises(ValueError, match=words):
        read_template(changed(change))
