"""`parley check --live` and `--replay`: the walk with an operator, and what it proves about a simulator."""

from __future__ import annotations

import asyncio
import os
import tempfile
from dataclasses import replace
from pathlib import Path

from parley.app.cli.load_config import load_config
from parley.app.live.compare import MOST_SHOWN, compare, plain
from parley.app.live.recorder import Recorder
from parley.app.live.recording import Recording, read_recording
from parley.app.live.replay import replay
from parley.app.live.shapes import read_shape
from parley.app.live.steps import STEPS, LiveStep
from parley.app.live.walk import StepResult, Walk
from parley.app.process import logs
from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.app.supervision.channel_factory import make_channel
from parley.channels.kit.http.wire_listener import listening_to_wires
from parley.channels.kit.webhook import ServesHttp
from parley.core.model.errors import ChannelError, ConfigError
from parley.core.ports.pubsub import NULL_NOTIFIER
from parley.simulator.registry import platforms
from parley.store.sqlite import SqliteStore

_PATIENCE = 120.0
"""Seconds for which something is waited for."""
_INTRODUCTION = """\
A walk through {name} in {count} steps, about two minutes. Stop Parley first where it uses the same account:
what people write to the bot during the walk is answered by the walk, and nobody else.
Press Enter to leave a step out, Ctrl-C to end."""
_WRITTEN = """\
The recording is in {file}. Secrets, names, words and ids were replaced; read it before you pass it on.
To compare the simulator with it: parley check --replay {file}"""


class TerminalOperator:
    """Tells somebody at a terminal what to do, and leaves a step out at Enter."""

    async def act(self, step: LiveStep) -> None:
        """Say what is to be done."""
        number = next(place for place, each in enumerate(STEPS, 1) if each.name == step.name)
        print(f"[{number}/{len(STEPS)}] {step.prompt}", flush=True)

    async def skipped(self) -> None:
        """Return at Enter."""
        loop, pressed = asyncio.get_running_loop(), asyncio.Event()

        def read() -> None:
            if os.read(0, 1024):
                pressed.set()
            else:
                loop.remove_reader(0)

        try:
            loop.add_reader(0, read)
        except OSError:
            await asyncio.Event().wait()
        try:
            await pressed.wait()
        finally:
            loop.remove_reader(0)

    def see(self, result: StepResult) -> None:
        """Say what came."""
        came = "left out" if not result.came else f"{result.came} of {result.wanted} came"
        print(
            f"      {result.name}: {came}",
            *(f"      {plain(error.user_text)}" for error in result.errors),
            sep="\n",
            flush=True,
        )


def run_live(config: Path | None, verbose: bool, name: str, file: Path | None) -> int:
    """Walk through the account of a channel and write a recording; 1 where nothing came at all.

    Raises ConfigError, ChannelError.
    """
    loaded = load_config(config, verbose, "error")
    plan = loaded.plans.get(name)
    if plan is None or plan.off or plan.kind not in platforms():
        on = [each for each in loaded.channels if loaded.plans[each].kind in platforms()]
        there = f"there are: {', '.join(on)}" if on else "there is none: switch one on"
        raise ConfigError(f"{loaded.origin}: {name} is no channel of a chat platform that is on; {there}.")
    into = file or Path(f"live-{name}.jsonl")
    print(_INTRODUCTION.format(name=name, count=len(STEPS)), flush=True)
    try:
        results, unknown = run_loop(_walk(loaded, name, plan.kind, into))
    except FileExistsError:
        raise ConfigError(f"{into} is there already: move it away, or name another file with --to.") from None
    for placeholder, field in unknown:
        print(f"A field that Parley does not know was written as {placeholder}: {plain(field)}")
    print(_WRITTEN.format(file=into))
    return 0 if any(each.came for each in results) else 1


async def _walk(
    loaded: LoadedSettings, name: str, kind: str, into: Path
) -> tuple[list[StepResult], tuple[tuple[str, str], ...]]:
    with tempfile.TemporaryDirectory(prefix="parley-live-") as folder:
        elsewhere = replace(loaded, data_dir=Path(folder))
        async with SqliteStore.open(Path(folder) / "live.db") as store:
            channel = make_channel(elsewhere, store, NULL_NOTIFIER, name, loaded.channels[name])
            if isinstance(channel, ServesHttp) and channel.routes():
                raise ConfigError(
                    f"{loaded.origin}: channels.{name} waits for events at a web address, and the walk "
                    "needs a connection: set it to connect by itself for as long (docs/live.md)."
                )
            recorder = Recorder(into, kind, logs.find_secrets(loaded.settings) | _secrets(loaded, name))
            try:
                with listening_to_wires(recorder):
                    results = await Walk(channel, recorder, TerminalOperator(), _PATIENCE).run(STEPS)
            except ChannelError:
                # There never was a connection: the next try begins with a new file.
                recorder.discard()
                raise
            finally:
                recorder.close()
    return results, recorder.unknown_fields


def _secrets(loaded: LoadedSettings, name: str) -> frozenset[str]:
    return logs.find_secrets(loaded.channels[name])


def run_replay(file: Path) -> int:
    """Do the walk of a recording on the simulator, and print in what they differ; 1 where they do.

    Raises RecordingMistake, ChannelError.
    """
    logs.configure_logging("error", frozenset())
    recording = read_recording(file)
    done = [step.name for step in recording.steps]
    print(f"{recording.platform}: steps on the platform: {', '.join(done) or 'none'}", flush=True)
    with tempfile.TemporaryDirectory(prefix="parley-replay-") as folder:
        again = run_loop(_replayed(recording, Path(folder)))
    found = compare(read_shape(recording), read_shape(again))
    for line in found.differences[:MOST_SHOWN]:
        print(line)
    for line in found.only_one[:MOST_SHOWN]:
        print(f"not compared: {line}")
    count = len(found.differences)
    print(f"{count} difference{'s' * (count > 1)}." if count else "No differences.")
    return 1 if count else 0


async def _replayed(recording: Recording, folder: Path) -> Recording:
    into = folder / "simulator.jsonl"
    await replay(recording, into, folder)
    return read_recording(into)
