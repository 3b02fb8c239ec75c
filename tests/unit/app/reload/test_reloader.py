"""Edits are taken over once they are whole; what is wrong changes nothing, and is told once."""

import asyncio
import logging
from contextlib import asynccontextmanager
from functools import partial

import pytest

from parley.app.reload.current_state import CurrentState, LiveState
from parley.app.reload.reloader import Reloader, ReloadTarget
from parley.app.reload.source import file_source
from parley.app.settings.core_options import core_options
from parley.app.settings.home_folder import ConfigLocation
from parley.core.model.errors import ConfigError
from tests.kit.waiting import until

TEXT = "agent:\n  timeout: 1\n  recursion_limit: 10\nlanguage: en\n"


class Running:
    """A reloader at work on the files of a folder; `time` is the clock's, `looks` its looks at the files."""

    def __init__(self, folder):
        (folder / "config.yaml").write_text(TEXT, "utf-8")
        self.folder, self.time, self.looks, self.failure = folder, 0.0, 0, None
        source = file_source(ConfigLocation(None, folder), {})
        loaded = source.read()
        self.current = CurrentState(LiveState(loaded, core_options(loaded), {}))
        target = ReloadTarget(self.apply, self.code)
        self.reloader = Reloader(
            self.current, source, target, lambda: 7.0, monotonic=lambda: self.time, every=0.001
        )

    @property
    def settings(self):
        return self.current.loaded().settings

    def code(self):
        self.looks += 1
        return ()

    async def apply(self, plan):
        if self.failure is not None:
            raise self.failure
        self.current.replace(LiveState(plan.loaded, core_options(plan.loaded), {}))

    def write(self, text, name="config.yaml"):
        (self.folder / name).write_text(text, "utf-8")

    async def look_for(self, seconds):
        """Let it look at the files as they are, then again after some time, and once more."""
        for passed in (0.0, seconds, 0.0):
            self.time += passed
            await until(partial(self.has_looked, self.looks + 2), "the files were looked at")

    def has_looked(self, times):
        return self.looks > times


@pytest.fixture
def running(tmp_path, caplog):
    caplog.set_level(logging.INFO, "parley.app")

    @asynccontextmanager
    async def run():
        made = Running(tmp_path)
        task = asyncio.create_task(made.reloader.run())
        await until(lambda: made.looks > 2, "it has begun")
        try:
            yield made
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    return run


async def test_half_of_a_file_never_takes_effect_though_it_is_valid(running, caplog):
    async with running() as parley:
        for half in ("", "agent:\n", "agent:\n  timeout: 2\n", "agent:\n  timeout: 2\n  recursion_limit: 1"):
            parley.write(half)
            await parley.look_for(4.0)
        assert parley.settings.agent.timeout == 1
        parley.write(TEXT.replace("timeout: 1", "timeout: 2"))
        await parley.look_for(1.0)
        assert parley.settings.agent.timeout == 2
        assert [record.getMessage() for record in caplog.records] == [
            "the configuration was taken over: agent.timeout"
        ]


async def test_a_file_whose_writer_is_gone_is_refused_with_its_place(running, caplog):
    async with running() as parley:
        parley.write("agent:\n  timeout: 2\n  recursion_limit: 1")
        await parley.look_for(6.0)
        assert parley.settings.agent.timeout == 1
        assert "goes on: config.yaml:3: ends in the middle of a line; save it whole" in caplog.text
        (report,) = parley.reloader.reports()
        assert report.detail.startswith("not taken over: config.yaml:3: ")
        parley.write("\n")
        await parley.look_for(6.0)
        assert "config.yaml: is empty now" in parley.reloader.reports()[0].detail
        (parley.folder / "config.yaml").unlink()
        await parley.look_for(6.0)
        assert "no such file" in parley.reloader.reports()[0].detail
        parley.write(TEXT)
        await parley.look_for(1.0)
        assert parley.reloader.reports() == ()
        assert "in order again" in caplog.text


async def test_an_edit_at_the_end_is_taken_over_later_or_at_a_signal(running):
    async with running() as parley:
        parley.write(TEXT.replace("language: en", "language: zh"))
        await parley.look_for(4.0)
        assert parley.settings.language == "en"
        await parley.look_for(1.5)
        assert parley.settings.language == "zh"
        parley.write(TEXT)
        parley.reloader.request()
        await parley.look_for(1.0)
        assert parley.settings.language == "en"


async def test_what_waits_for_a_restart_is_told_once(running, caplog):
    async with running() as parley:
        for timeout in (2, 3):
            parley.write(f"console: {{port: 1}}\n{TEXT.replace('timeout: 1', f'timeout: {timeout}')}")
            await parley.look_for(1.0)
        assert parley.settings.agent.timeout == 3
        assert caplog.text.count("console.port: changed on disk, and waits for a restart") == 1
        assert parley.reloader.reports()[0].detail == "waits for a restart: console.port"


async def test_variables_of_the_env_file_are_read_again(running):
    async with running() as parley:
        parley.write(TEXT.replace("timeout: 1", "timeout: $SECONDS"))
        await parley.look_for(1.0)
        assert "SECONDS" in parley.reloader.reports()[0].detail
        parley.write("SECONDS=33\n", ".env")
        await parley.look_for(1.0)
        assert parley.settings.agent.timeout == 33


@pytest.mark.parametrize("failure", [ConfigError("graph.py: no"), RuntimeError("a fault of ours")])
async def test_what_cannot_be_done_leaves_the_old_and_the_next_edit_is_taken(running, caplog, failure):
    async with running() as parley:
        parley.failure = failure
        parley.write(TEXT.replace("timeout: 1", "timeout: 2"))
        await parley.look_for(1.0)
        assert parley.settings.agent.timeout == 1
        assert str(failure) in caplog.text
        parley.failure = None
        parley.write(TEXT.replace("timeout: 1", "timeout: 3"))
        await parley.look_for(1.0)
        assert parley.settings.agent.timeout == 3
