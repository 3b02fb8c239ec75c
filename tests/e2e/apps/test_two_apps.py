"""Two apps of a platform in one process, whose chats, people, messages and files have the same ids."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

from parley.simulator.slack import SlackSimulator, SlackUpload
from parley.simulator.slack.api.serializers import press_json
from parley.simulator.slack.rendering.markup import buttons
from parley.simulator.telegram import TelegramSimulator, TelegramUpload
from tests.kit.product.deciders import Decider, OnSlack, OnTelegram
from tests.kit.product.process import PATIENCE, Process
from tests.kit.product.scene import SLACK_TIMING, begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

GRAPH = Path(__file__).parent / "two_apps_graph.py"
SECOND = {"telegram": "desk", "slack": "support"}
Simulator: TypeAlias = TelegramSimulator | SlackSimulator


@dataclass(frozen=True)
class App:
    """An app under its name, on a platform of its own that counts as the other does."""

    name: str
    simulator: Simulator

    def newcomer(self) -> Decider:
        """Somebody new, alone with the app."""
        simulator = self.simulator
        return OnTelegram(simulator) if isinstance(simulator, TelegramSimulator) else OnSlack(simulator)


@dataclass(frozen=True)
class Apps:
    """A running Parley, and both apps of each platform."""

    parley: Process
    pairs: dict[str, tuple[App, App]]


def _sections(pairs: dict[str, tuple[App, App]]) -> dict[str, object]:
    made = {app.name: app.newcomer().section() for pair in pairs.values() for app in pair}
    return {**made, **{second: {"type": kind} | made[second] for kind, second in SECOND.items()}}


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apps]:
    with ExitStack() as stack:
        open_ = stack.enter_context
        pairs: dict[str, tuple[App, App]] = {
            "telegram": (
                App("telegram", open_(TelegramSimulator())),
                App("desk", open_(TelegramSimulator("900200300:another-token-for-loopback-only"))),
            ),
            "slack": (
                App("slack", open_(SlackSimulator(timing=SLACK_TIMING))),
                App("support", open_(SlackSimulator("xoxb-second", "xapp-second", timing=SLACK_TIMING))),
            ),
        }
        config = {
            "agent": {"graphs": {"agent": f"{GRAPH}:graph"}, "on_edit": "rerun"},
            "channels": _sections(pairs),
        }
        parley = begin(tmp_path_factory.mktemp("apps"), config)
        stack.callback(end, parley)
        parley.wait_until_ready()
        yield Apps(parley, pairs)


@pytest.fixture(params=sorted(SECOND))
def pair(request: pytest.FixtureRequest, apps: Apps) -> tuple[App, App]:
    return apps.pairs[request.param]


def people(pair: tuple[App, App]) -> list[tuple[str, str, Decider]]:
    """Somebody new on each app, with the app's name and their account; their ids are the same."""
    there = [(app.name, app.newcomer()) for app in pair]
    ids = [_id(person) for _, person in there]
    assert ids[0] == ids[1]
    return [(name, f"{name}:{_id(person)}", person) for name, person in there]


def _id(person: Decider) -> str:
    who = person.person
    return str(getattr(who, "id", who))


def test_the_same_words_under_the_same_ids_are_answered_by_each(pair: tuple[App, App]) -> None:
    there = people(pair)
    for turn in (1, 2):
        for _, _, person in there:
            person.say("hello")
        for name, account, person in there:
            person.sees(f"{name} {account} #{turn}: hello")
            assert not [text for _, text, _ in person.seen() if account not in text]


def test_a_slack_message_with_the_other_ones_time_stamp_is_heard(apps: Apps) -> None:
    """In one workspace both apps are told of one message, under one id."""
    there, stamp = people(apps.pairs["slack"]), f"{time.time():.6f}"
    for app, (_, _, person) in zip(apps.pairs["slack"], there, strict=True):
        assert isinstance(app.simulator, SlackSimulator)
        event = {"type": "message", "channel": person.place, "user": _id(person), "text": "both"}  # type: ignore[attr-defined]
        event |= {"channel_type": "im", "ts": stamp, "event_ts": stamp}
        app.simulator.people.inject_event(event)
        app.simulator.people.inject_event(event)
    for name, account, person in there:
        person.sees(f"{name} {account} #1: both")
        person.say("and then?")
        person.sees(f"{name} {account} #2: and then?")


def test_a_command_counts_for_its_app_only(pair: tuple[App, App]) -> None:
    (_, _, first), (name, account, second) = people(pair)
    for person in (first, second):
        person.say("hello")
        person.sees("#1: hello")
    first.say("/memory add I love pizza")
    first.sees("pizza")
    second.say("/memory")
    second.sees("emory")
    assert not [text for _, text, _ in second.seen() if "pizza" in text]
    first.say("/new")
    first.sees("new")
    first.say("again")
    first.sees("#1: again")
    second.say("again")
    second.sees(f"{name} {account} #2: again")


def test_a_press_decides_the_question_of_its_app_only(pair: tuple[App, App]) -> None:
    (_, _, first), (name, account, second) = people(pair)
    asked = []
    for person in (first, second):
        person.say("ask")
        asked.append(person.sees("Sure?"))
    first.press(asked[0][0], "Do it")
    first.sees("decided Do it")
    (still,) = [each for each in second.seen() if each[0] == asked[1][0]]
    assert "Do it" in still[2]
    second.press(asked[1][0], "Leave it")
    second.sees(f"{name} {account} #1: decided Leave it")


def test_a_press_with_the_other_apps_question_decides_nothing(pair: tuple[App, App]) -> None:
    """Who makes a button of one app post the question of the other."""
    (_, _, first), (_, _, second) = people(pair)
    for person in (first, second):
        person.say("ask")
    mine, theirs = first.sees("Sure?"), second.sees("Sure?")
    _forge(pair, first, mine[0])
    second.wait(second.told)
    first.say("/status")
    first.sees("Agent")
    for person, question in ((first, mine), (second, theirs)):
        assert next(each for each in person.seen() if each[0] == question[0])[2] == question[2]
    for person, question in ((first, mine), (second, theirs)):
        person.press(question[0], "Leave it")
        person.sees("decided Leave it")


def _forge(pair: tuple[App, App], first: Decider, message: str) -> None:
    """Send the second app a press on the first one's message, as its own platform would."""
    one, two = (app.simulator for app in pair)
    if isinstance(one, SlackSimulator) and isinstance(two, SlackSimulator):
        world = one.world
        with world.changed:
            shown = world.messages[first.place][message]  # type: ignore[attr-defined]
            button = next(iter(buttons(shown.blocks)))
            two.people.inject(press_json(world, shown, world.accounts[_id(first)], button), "interactive")
        return
    assert isinstance(one, TelegramSimulator)
    assert isinstance(two, TelegramSimulator)
    with one.world.changed, two.world.changed:
        chat = int(_id(first))
        asked = one.world.messages[chat][int(message)]
        there = next(m for m in two.world.messages[chat].values() if m.markup)
        its, there.markup = there.markup, asked.markup
    two.people.press(chat, chat, there.id, "Do it")
    there.markup = its


def test_an_edit_changes_the_message_of_its_app_only(pair: tuple[App, App]) -> None:
    there = people(pair)
    said = []
    for app, (_, _, person) in zip(pair, there, strict=True):
        said.append(_say(app, person, "tow"))
        person.sees("#1: tow")
    _edit(pair[1], there[1][2], said[1], "two")
    there[1][2].sees("#1: two")
    there[0][2].say("more")
    there[0][2].sees("#2: more")
    assert not [text for _, text, _ in there[0][2].seen() if "two" in text]


def _say(app: App, person: Decider, text: str) -> str | int:
    who = person.person
    if isinstance(app.simulator, TelegramSimulator):
        return app.simulator.people.say(who, who, text)
    return app.simulator.people.say(who.dm, who.id, text)


def _edit(app: App, person: Decider, said: str | int, text: str) -> None:
    who = person.person
    if isinstance(app.simulator, TelegramSimulator):
        app.simulator.people.edit(who, int(said), text)
    else:
        app.simulator.people.edit(who.dm, str(said), text)


def test_a_file_comes_from_the_app_that_it_was_sent_to(pair: tuple[App, App]) -> None:
    there = people(pair)
    for app, (name, _, person) in zip(pair, there, strict=True):
        who, content = person.person, f"content of {name}".encode()
        if isinstance(app.simulator, TelegramSimulator):
            app.simulator.people.send_file(
                who, who, TelegramUpload("notes.txt", content, "text/plain"), "read"
            )
        else:
            app.simulator.people.send_files(
                who.dm, who.id, [SlackUpload("notes.txt", content, "text/plain")], "read"
            )
    for name, _, person in there:
        assert f"content of {name}" in person.sees("#1: read")[1]


def test_each_bot_greets_a_group_that_both_are_taken_into(apps: Apps) -> None:
    for app in apps.pairs["telegram"]:
        sim = app.simulator
        assert isinstance(sim, TelegramSimulator)
        group = sim.people.add_group("Team", [sim.people.add_person("Ada").id])
        sim.people.add_bot(group)
        sim.people.wait(partial(sim.people.answers, group), PATIENCE)


def test_a_home_tab_shows_the_questions_of_its_app(apps: Apps) -> None:
    first, second = apps.pairs["slack"]
    there = people((first, second))
    there[0][2].say("ask")
    there[0][2].sees("Sure?")
    for app, (_, _, person) in zip((first, second), there, strict=True):
        assert isinstance(app.simulator, SlackSimulator)
        app.simulator.people.open_home(_id(person), "home")
    homes = []
    for app, (_, _, person) in zip((first, second), there, strict=True):
        sim = app.simulator
        assert isinstance(sim, SlackSimulator)
        sim.people.wait(partial(sim.people.home, _id(person)), PATIENCE)
        homes.append("\n".join(sim.people.home(_id(person))))
    assert "Sure?" in homes[0]
    assert "Sure?" not in homes[1]


def test_the_work_of_an_app_that_is_taken_out_waits_for_it_and_harms_nobody(tmp_path: Path) -> None:
    with TelegramSimulator() as one, TelegramSimulator("900200300:another-token-for-loopback-only") as two:
        first, second = App("telegram", one).newcomer(), App("desk", two).newcomer()
        both = {"telegram": first.section(), "desk": {"type": "telegram"} | second.section()}
        agent: dict[str, object] = {"graphs": {"agent": f"{GRAPH}:graph"}}
        parley = begin(tmp_path, {"agent": agent, "channels": both})
        try:
            parley.wait_until_ready()
            second.say("ask")
            question, _, _ = second.sees("Sure?")
            two.faults.fail_next("sendMessage", 502, times=1_000)
            second.press(question, "Do it")
            second.wait(lambda: len(two.calls("sendMessage")) > 2)
            parley.kill()
            parley.config = {**parley.config, "channels": {"telegram": both["telegram"]}}
            parley.start()
            parley.wait_until_ready()
            first.say("hello")
            first.sees("#1: hello")
            parley.terminate()
            two.faults.clear()
            parley.config = {**parley.config, "channels": both}
            parley.start()
            second.sees("#1: decided Do it")
            assert len([text for _, text, _ in second.seen() if "decided" in text]) == 1
        finally:
            end(parley)
