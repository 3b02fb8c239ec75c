"""Slack keeps its promises also for an app that has the old panel, and beside it one long talk in a DM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from parley.core.model.address import Conversation
from parley.simulator.slack import SlackSimulator
from tests.contract.driver import Person, Place, Traits
from tests.contract.drivers.slack import TIMING, SlackDriver
from tests.contract.harness.keeping import keep_promise
from tests.contract.promises import PROMISES

pytestmark = pytest.mark.journeys

_HELD = (
    "grows_and_is_whole",
    "heard_as_said",
    "options_are_buttons",
    "a_decision_is_seen",
    "that_it_thinks_is_shown_until_it_answers",
    "the_stop_button_keeps_what_was_said",
    "a_platforms_own_command_is_answered_to_its_writer",
    "crash_while_growing_among_others",
)


class SlackPanelDriver(SlackDriver):
    traits: ClassVar[Traits] = replace(SlackDriver.traits, opens=False, views=False)

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = SlackSimulator(timing=TIMING, experience="assistant")
        self.secrets = (self._platform.bot_token, self._platform.app_token)


class SlackPlainDriver(SlackPanelDriver):
    """An app that is no agent: people talk to it in a DM, outside threads."""

    traits: ClassVar[Traits] = replace(SlackPanelDriver.traits, stops=False, ponders=False)

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = SlackSimulator(timing=TIMING, experience="plain")

    async def private(self, name: str = "Ann") -> Place:
        person = self._platform.people.add_person(name)
        return Place(Conversation("slack", person.dm, None), Person(person.id, name), private=True)


@pytest.mark.parametrize("name", _HELD)
@pytest.mark.parametrize("driver", [SlackPanelDriver, SlackPlainDriver])
async def test_promise_of_an_older_app(
    driver: type[SlackPanelDriver], name: str, tmp_path: Path, wire_folder: str
) -> None:
    promise = PROMISES[name]
    if promise.applies(driver.traits):
        await keep_promise(promise, driver, tmp_path, wire_folder)
