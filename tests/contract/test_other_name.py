"""An app that the settings call otherwise than its platform (`type:`) keeps its promises under that name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.driver import Driver
from tests.contract.drivers import DRIVERS
from tests.contract.harness.keeping import keep_promise
from tests.contract.promises import PROMISES

pytestmark = pytest.mark.journeys

_HELD = (
    "heard_as_said",
    "runs_know_who_and_where",
    "a_decision_is_seen",
    "a_press_after_a_crash_decides",
    "words_about_an_answer_are_not_for_the_agent",
    "files_come_in_whole",
    "the_stop_button_keeps_what_was_said",
    "a_platforms_own_command_is_answered_to_its_writer",
    "a_mention_brings_the_talk",
    "a_topic_is_ours_at_once",
    "chats_have_their_own_rules",
    "crash_while_growing_among_others",
)
_APPS = [name for name, driver in DRIVERS.items() if driver.traits.apps]


@pytest.mark.parametrize("name", _HELD)
@pytest.mark.parametrize("platform", _APPS)
async def test_promise_under_another_name(platform: str, name: str, tmp_path: Path, wire_folder: str) -> None:
    base: type[Driver] = DRIVERS[platform]
    driver: type[Driver] = type("Named", (base,), {"named": "desk"})
    promise = PROMISES[name]
    if promise.applies(driver.traits):
        await keep_promise(promise, driver, tmp_path, wire_folder)
