"""Parley dies in the middle of calls of MCP servers: what may be repeated is, what writes never is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.responses import JSONResponse, Response

from tests.e2e.built_in.test_mcp import listens
from tests.kit.doubles.llm_provider import provider
from tests.kit.product.process import Process
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson
from tests.kit.waiting import until
from tests.unit.server.default_agent.mcp.scene import BY_STDIO, by_network, write_servers
from tests.unit.server.default_agent.scripted_model import Asked, calls, repeats_result

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

UNKNOWN = "Nobody knows whether it did its work, and it was not called again."


def does_what_it_is_told(asked: Asked) -> Response:
    """Call the tool that the person names, and say what came of it; memory's own questions get no answer."""
    last = asked["messages"][-1]
    if last["role"] == "tool":
        return repeats_result(asked)
    if not last["content"].startswith('{"tool"'):
        return JSONResponse({}, 500)
    wanted: dict[str, object] = json.loads(last["content"])
    return calls(str(wanted.pop("tool")), **wanted)(asked)


def lines(file: Path) -> int:
    return len(file.read_text().splitlines()) if file.exists() else 0


@dataclass(frozen=True)
class Scene:
    """What a person has asked for, in which file each call is noted, and what they hear in the end."""

    words: Mapping[str, object]
    log: str
    outcome: str
    asks: bool = True

    def begin(self, process: Process) -> WebPerson:
        """Have somebody ask for it, and approve where they are asked."""
        web = WebPerson(process.url)
        message = web.say(json.dumps(self.words))
        if self.asks:
            *_, asked = web.replies(message)
            web.decide(asked["question"]["id"], "approve")
        return web

    def is_over(self, text: str) -> bool:
        """Whether that is what they hear in the end."""
        return self.outcome in text


def call(tool: str) -> dict[str, object]:
    return {"tool": tool, "name": "slow"}


SCENES = (
    Scene(call("local_put"), "local/put", "put slow"),
    Scene(call("remote_look"), "remote/looked", "found slow", asks=False),
    Scene(call("remote_write"), "remote/written", UNKNOWN),
    Scene(
        {"tool": "task", "agent": "general-purpose", "description": json.dumps(call("other_write"))},
        "other/written",
        UNKNOWN,
    ),
    Scene(call("gone_write"), "gone/written", UNKNOWN),
)
"""Over both transports, by a subagent, and on a server that is away after the restart."""


@contextmanager
def on_the_network(folder: Path, *names: str) -> Iterator[dict[str, object]]:
    """A server of each name, in a folder of its own."""
    with ExitStack() as stack:
        found: dict[str, object] = {}
        for name in names:
            (folder / name).mkdir()
            url = stack.enter_context(by_network(folder / name, "http", "/mcp"))
            found[name] = {"type": "http", "url": url}
        yield found


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[ExitStack]:
    """Servers, and what takes away the one that is gone after the restart."""
    (tmp_path / "local").mkdir()
    with ExitStack() as leaving, on_the_network(tmp_path, "remote", "other") as there:
        gone = leaving.enter_context(on_the_network(tmp_path, "gone"))
        write_servers(tmp_path, local={**BY_STDIO, "cwd": "local"}, **there, **gone)
        yield leaving


async def test_what_writes_is_called_once_and_what_does_not_is_called_again(
    tmp_path: Path, servers: ExitStack
) -> None:
    for each in json.loads((tmp_path / "mcp.json").read_text())["mcpServers"].values():
        if "url" in each:
            await listens(each["url"])

    def made() -> list[int]:
        return [lines(tmp_path / scene.log) for scene in SCENES]

    async with provider(does_what_it_is_told) as model:
        config = {
            "agent": {"model": "openai:m", "model_api_key": "k", "base_url": model.url},
            "built_in": {"mcp": {"file": "mcp.json"}, "subagents": {"enabled": True}},
        }
        process = begin(tmp_path, config, variables={"NAME_OF_OWNER": "Ann"})
        try:
            await asyncio.to_thread(process.wait_until_up)
            people = await asyncio.gather(*(asyncio.to_thread(each.begin, process) for each in SCENES))
            await until(lambda: made() == [1, 1, 1, 1, 1], "all calls are under way")
            process.kill()
            servers.close()
            for name in ("local", "remote", "other"):
                (tmp_path / name / "go").touch()
            process.spawn()
            await asyncio.to_thread(process.wait_until_up)
            for web, scene in zip(people, SCENES, strict=True):
                await asyncio.to_thread(web.until, scene.is_over)
                web.close()
        finally:
            end(process)
    assert made() == [2, 2, 1, 1, 1], "what may be repeated is, and nothing else"
