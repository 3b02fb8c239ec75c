"""A Telegram group that becomes a supergroup keeps what Parley has for it: its thread and its team memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.contract.driver import Place
from tests.contract.drivers.telegram import TelegramDriver
from tests.contract.harness.parley_process import Setting
from tests.contract.harness.scene import scene

_RELEASE = "The release is on Friday"


class GrowingTelegramDriver(TelegramDriver):
    """Makes a supergroup of a group."""

    def upgrade(self, place: Place) -> Place:
        """Return where the group is then."""
        chat = self._platform.people.upgrade(int(place.conversation.chat))
        return replace(place, conversation=replace(place.conversation, chat=str(chat)))


async def test_the_team_memory_and_the_thread_go_on_in_the_supergroup(tmp_path: Path) -> None:
    async with scene(GrowingTelegramDriver, tmp_path, setting=Setting(remembers=True)) as here:
        driver = here.driver
        assert isinstance(driver, GrowingTelegramDriver)
        old = await driver.group()
        await driver.say(old, here.to_bot("/memory team on"))
        await here.until_shows(old, "edit ID TEXT")
        await driver.say(old, here.to_bot(f"/memory team add {_RELEASE}"))
        await here.until_shows(old, f"{_RELEASE} (")
        await here.ask(old, here.to_bot("before"))
        new = driver.upgrade(old)
        await driver.say(new, here.to_bot("after"))
        await here.until_done(old, 2)
        await driver.say(new, here.to_bot("/memory team"))
        await here.until_shows(new, _RELEASE)
        before, after = here.agent.requests
        assert before.thread == after.thread
        assert _RELEASE in before.memory
        assert _RELEASE in after.memory
