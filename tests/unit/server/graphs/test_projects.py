"""Projects of other people, as they are: their layouts, their factories, and what goes wrong in them."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import pytest
from langgraph_sdk.client import LangGraphClient

from parley.core.model.errors import ConfigError
from parley.server.graphs.projects import Project, import_attribute
from parley.server.options import EmbeddedOptions
from tests.unit.server.conftest import _served

STATE = "from langgraph.graph import MessagesState\nclass State(MessagesState):\n    pass\n"
GRAPH = """
from langgraph.graph import START, StateGraph
from {state} import State
def answer(state):
    return {{"messages": [("ai", "You said " + state["messages"][-1].content)]}}
graph = StateGraph(State).add_node("answer", answer).add_edge(START, "answer").compile()
"""
# A tool's server over standard input and output, as MCP has them; it lives as long as the run.
FACTORY = """
import asyncio, sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from langgraph.graph import START, MessagesState, StateGraph
from langgraph_sdk.runtime import ServerRuntime
TOOL = "import sys\\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)"
@asynccontextmanager
async def make(runtime: ServerRuntime):
    notes = Path(__file__).with_name("notes")
    if runtime.execution_runtime is None:
        yield build(None)
        return
    pipe = asyncio.subprocess.PIPE
    tool = await asyncio.create_subprocess_exec(sys.executable, "-c", TOOL, stdin=pipe, stdout=pipe)
    try:
        yield build(tool)
    finally:
        tool.stdin.close()
        notes.write_text(f"{runtime.access_context} {runtime.store is not None} {await tool.wait()}")
def build(tool):
    async def answer(state):
        tool.stdin.write(state["messages"][-1].content.encode() + b"\\n")
        return {"messages": [("ai", (await tool.stdout.readline()).decode().strip())]}
    return StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
"""


@pytest.fixture(autouse=True)
def _imports_as_before() -> Iterator[None]:
    path, modules, environ = list(sys.path), set(sys.modules), dict(os.environ)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    for name in set(os.environ) - set(environ):
        del os.environ[name]


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


LAYOUTS = {
    "src": (
        {
            "src/agent/__init__.py": "from agent.graph import graph\n",
            "src/agent/state.py": STATE,
            "src/agent/graph.py": GRAPH.format(state="agent.state"),
        },
        "src/agent/graph.py:graph",
        "agent.graph",
    ),
    "relative imports": (
        {
            "my_agent/__init__.py": "",
            "my_agent/utils/__init__.py": "",
            "my_agent/utils/state.py": STATE,
            "my_agent/agent.py": GRAPH.format(state=".utils.state"),
        },
        "my_agent/agent.py:graph",
        "my_agent.agent",
    ),
    "a package without __init__": (
        {"flows/state.py": STATE, "flows/one.py": GRAPH.format(state="flows.state")},
        "flows/one.py:graph",
        "flows.one",
    ),
    "a script's neighbours": (
        {"flows/neighbour.py": STATE, "flows/one.py": GRAPH.format(state="neighbour")},
        "flows/one.py:graph",
        "flows.one",
    ),
}


async def answered(client: LangGraphClient, text: str) -> str:
    said: dict[str, Any] = {"messages": [{"role": "user", "content": text}]}
    values = await client.runs.wait(None, "agent", input=said)
    assert isinstance(values, dict)
    return str(values["messages"][-1]["content"])


def options(folder: Path, spec: str, **more: object) -> EmbeddedOptions:
    file, _, name = spec.rpartition(":")
    project = Project(folder, **more)  # type: ignore[arg-type]
    return EmbeddedOptions(folder / "agent.db", {"agent": f"{folder / file}:{name}"}, project=project)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_project_runs_as_it_is(tmp_path: Path, layout: str) -> None:
    files, spec, module = LAYOUTS[layout]
    folder = written(tmp_path, files)
    async with _served(options(folder, spec)) as client:
        assert await answered(client, "hello") == "You said hello"
    assert module in sys.modules


async def test_what_a_factory_opens_lives_as_long_as_the_run(tmp_path: Path) -> None:
    folder = written(tmp_path, {"tools.py": FACTORY})
    async with _served(options(folder, "tools.py:make")) as client:
        assert await client.assistants.get_schemas("agent")
        assert not (folder / "notes").exists()
        assert await answered(client, "stressed") == "desserts"
    assert (folder / "notes").read_text() == "threads.create_run True 0"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("import json\n\nraise RuntimeError('no key')\n", 3, "RuntimeError: no key"),
        ("import helper\n", 1, "ZeroDivisionError: division by zero"),
        ("x = 1\ndef (\n", 2, "invalid syntax"),
        ("import nothing_of_that_name\n", 1, "No module named 'nothing_of_that_name'; install it into"),
        ("import sys\nsys.exit('no')\n", 2, "SystemExit: no"),
    ],
)
def test_what_raises_at_its_import_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "parley.server.graphs.projects")
    written(tmp_path, {"mine.py": text, "helper.py": "1 / 0\n"})
    with pytest.raises(ConfigError) as refused:
        import_attribute("agent.graphs.agent", f"{tmp_path / 'mine.py'}:graph", Project(tmp_path))
    told = refused.value.user_text
    file = "helper.py" if "helper" in text else "mine.py"
    assert told.startswith("agent.graphs.agent: ")
    assert f"{tmp_path / file}, line {line}: " in told
    assert said in told
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("name", ["email.py", "my-graph.py", "json/__init__.py"])
def test_a_file_is_imported_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    import json

    written(tmp_path, {name: "graph = 'theirs'\n"})
    found = import_attribute("agent.graphs.agent", f"{tmp_path / name}:graph", Project(tmp_path))
    assert found == "theirs"
    assert sys.modules["json"] is json


def test_two_projects_with_files_of_one_name_are_two(tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(tmp_path / name, {"graph.py": f"graph = {name!r}\n"})
    specs = [(tmp_path / name / "graph.py", Project(tmp_path / name)) for name in ("one", "two", "one")]
    found = [import_attribute("agent.graphs.agent", f"{file}:graph", project) for file, project in specs]
    assert found == ["one", "two", "one"]


def test_a_moved_project_has_the_same_names_and_old_ones_are_known(tmp_path: Path) -> None:
    files = {"my-graph.py": "class State:\n    pass\n"}
    old = written(tmp_path / "old", files)
    first = import_attribute("g", f"{old / 'my-graph.py'}:State", Project(old))
    former = f"parley_graph_{uuid5(NAMESPACE_DNS, str(old / 'my-graph.py')).hex}"
    assert sys.modules[former].State is first
    shutil.move(old, tmp_path / "new")
    name = str(getattr(first, "__module__", ""))
    del sys.modules[name]
    second = import_attribute("g", f"{tmp_path / 'new' / 'my-graph.py'}:State", Project(tmp_path / "new"))
    assert getattr(second, "__module__", "") == name


def test_its_variables_are_there_and_the_environments_own_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROJECT_TOWN", "Rome")
    written(
        tmp_path, {"mine.py": "import os\ngraph = os.environ['PROJECT_TOWN'], os.environ['PROJECT_KEY']\n"}
    )
    project = Project(tmp_path, environ={"PROJECT_TOWN": "Oslo", "PROJECT_KEY": "key"})
    assert import_attribute("g", f"{tmp_path / 'mine.py'}:graph", project) == ("Rome", "key")


@pytest.mark.parametrize(
    ("parameters", "config"),
    [
        ("", "{'configurable': 1}"),
        ("config", "config"),
        ("config, /", "config"),
        ("*, config", "config"),
        ("config=None, depth=3", "config"),
        ("given, *more, **others", "given"),
    ],
)
async def test_a_factory_is_given_what_it_asks_for(tmp_path: Path, parameters: str, config: str) -> None:
    make = f"def make({parameters}):\n    assert {config}['configurable']\n    return graph\n"
    written(tmp_path, {"state.py": STATE, "mine.py": GRAPH.format(state="state") + make})
    async with _served(options(tmp_path, "mine.py:make")) as client:
        assert await answered(client, "hello") == "You said hello"
