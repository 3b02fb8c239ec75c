"""The agent runs commands on the conversation's files: approved, on the record, until they are stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.server.options import CommandOptions, DefaultAgentOptions, ToolRules
from parley.server.sandbox.isolation.bubblewrap import Bubblewrap
from parley.server.sandbox.limits import CommandLimits
from parley.server.sandbox.record import CommandRun
from parley.server.workspace.entries import WorkspaceLimits
from parley.server.workspace.workspaces import Workspaces
from tests.kit.product.sandbox import skip_without_sandbox, sleep
from tests.unit.server.default_agent.conversation import conversation
from tests.unit.server.default_agent.scripted_model import (
    calls,
    calls_all,
    offered,
    repeats_result,
    streams,
)

UNASKED = ToolRules(never_ask=("run_command",))


@pytest.fixture(autouse=True)
def sandboxed() -> None:
    skip_without_sandbox()


class Commands:
    """What was run, and the options that it is run with."""

    def __init__(self, folder: Path) -> None:
        self.runs: list[CommandRun] = []
        self.spaces = Workspaces(folder / "workspaces", WorkspaceLimits(size=100_000, files=50, file=50_000))

    async def record(self, run: CommandRun) -> None:
        self.runs.append(run)

    def options(self, rules: ToolRules = UNASKED, seconds: float = 60) -> DefaultAgentOptions:
        commands = CommandOptions(Bubblewrap(), CommandLimits(seconds=seconds), self.record)
        return DefaultAgentOptions(workspaces=self.spaces, commands=commands, rules=rules)


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


async def test_a_command_asks_and_works_on_the_files_of_its_conversation(
    tmp_path: Path, commands: Commands
) -> None:
    async with conversation(tmp_path, commands.options(ToolRules())) as talk:
        await talk.say(
            "Sort it",
            calls("write_file", file_path="/in.txt", content="b\na\n"),
            calls("run_command", command="sort in.txt > out.txt; ls"),
            calls("read_file", file_path="/out.txt"),
            repeats_result,
        )
        await talk.until_asked("sort in.txt > out.txt; ls")
        assert commands.runs == [], "nobody has agreed yet"
        said = await talk.say("yes")
        assert "a\n" in said.text
        assert "b" in said.text
        results = talk.model.asked[-2]["messages"][-1]["content"]
        assert results == "Exit code: 0\nin.txt\nout.txt\n"
    (run,) = commands.runs
    assert (run.account, run.conversation) == ("test:ann", "test:chat")
    assert (run.command, run.outcome) == ("sort in.txt > out.txt; ls", "exit code 0")


async def test_a_refused_command_does_not_run(tmp_path: Path, commands: Commands) -> None:
    async with conversation(tmp_path, commands.options(ToolRules())) as talk:
        await talk.say("Go", calls("run_command", command="touch x"), repeats_result)
        await talk.until_asked("touch x")
        await talk.say("no", streams(content="Well, not."))
    assert commands.runs == []
    assert not list(commands.spaces.root.glob("*/files/*"))


async def test_the_rules_hold_for_it(tmp_path: Path, commands: Commands) -> None:
    rules = ToolRules(deny=("run_*",), never_ask=("*",))
    async with conversation(tmp_path, commands.options(rules)) as talk:
        said = await talk.say("Go", calls("run_command", command="touch x"), repeats_result)
        assert "may not be used here" in said.text
        assert "run_command" not in offered(talk.model.asked[0])
    assert commands.runs == []


async def test_conversations_see_no_files_of_each_other(tmp_path: Path, commands: Commands) -> None:
    async with conversation(tmp_path, commands.options()) as talk:
        await talk.say("Go", calls("run_command", command="echo secret > mine.txt"), repeats_result)
        said = await talk.say(
            "Look",
            calls("run_command", command="find / -name mine.txt 2>/dev/null; cat /home/*/*; ls"),
            repeats_result,
            chat="other",
        )
        assert "mine.txt" not in said.text
        assert "secret" not in said.text


async def test_a_stop_ends_it_and_nothing_of_it_stays(tmp_path: Path, commands: Commands) -> None:
    nap = sleep(600)
    async with conversation(tmp_path, commands.options()) as talk:
        talk.model.answers[:] = [
            calls("run_command", command=f"touch made; setsid sleep {nap.time} & sleep {nap.time}")
        ]
        await talk.core.say("Go")
        await nap.until_there(2)
        await talk.core.say("/stop", id="stop")
        await nap.until_gone()
        await talk.core.channel.until_finals(2)
    assert [run.outcome for run in commands.runs] == ["stopped, or it could not be run"]
    assert not list(commands.spaces.root.glob("*/files/*"))


async def test_what_ends_it_and_what_is_not_kept_is_told(tmp_path: Path, commands: Commands) -> None:
    async with conversation(tmp_path, commands.options(seconds=1)) as talk:
        said = await talk.say("Go", calls("run_command", command="echo begun; sleep 60"), repeats_result)
        assert said.text.startswith("The command was ended, for it took too long. Its changes of files were")
        assert "begun" in said.text
        said = await talk.say("Go", calls("run_command", command="ln -s /etc link; exit 4"), repeats_result)
        assert said.text.startswith("Exit code: 4\nNot kept in the workspace: '/link': ")
        said = await talk.say("Go", calls("run_command", command=" "), repeats_result)
        assert "a command has 1 to 20000 bytes" in said.text
    assert [run.outcome for run in commands.runs] == [
        "ended, for it took too long",
        "exit code 4",
        "stopped, or it could not be run",
    ]


async def test_two_at_once_both_change_the_files(tmp_path: Path, commands: Commands) -> None:
    async with conversation(tmp_path, commands.options()) as talk:
        both = (("run_command", {"command": f"echo {name} > {name}.txt"}) for name in ("a", "b"))
        await talk.say("Go", calls_all(*both), repeats_result)
        said = await talk.say("And?", calls("run_command", command="cat *.txt"), repeats_result)
        assert said.text == "Exit code: 0\na\nb\n"


async def test_without_the_setting_there_is_no_such_tool(tmp_path: Path, commands: Commands) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=commands.spaces)) as talk:
        await talk.say("Go", streams(content="ok"))
        assert "run_command" not in offered(talk.model.asked[0])
