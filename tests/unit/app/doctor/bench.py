"""What seeded misconfigurations are made of: simulators, an agent server, and a place for settings."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from benchmarks.kit.free_ports import free_port
from parley.app.doctor.agent import probe_agent
from parley.app.doctor.channels import probe_channels
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.examine import ProbeGroup
from parley.app.doctor.machine import probe_machine
from parley.app.doctor.memory import probe_memory
from parley.app.doctor.network import probe_network
from parley.app.doctor.result import CheckResult
from parley.app.doctor.services import probe_services
from parley.app.doctor.settings import probe_settings
from parley.app.doctor.store import probe_the_store
from parley.app.doctor.versions import probe_versions
from parley.app.settings.load import LoadedSettings, load_settings
from parley.server.options import EmbeddedOptions
from parley.server.tcp_server import serve
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.machine import patience

KEY = "the-key-of-an-agent-server"
GROUPS: dict[str, ProbeGroup] = {
    "settings": probe_settings,
    "versions": probe_versions,
    "machine": probe_machine,
    "store": probe_the_store,
    "network": probe_network,
    "channels": probe_channels,
    "agent": probe_agent,
    "memory": probe_memory,
    "services": probe_services,
}


@dataclass
class Platforms:
    """The simulated platforms, strict, and the sections that reach them."""

    telegram: TelegramSimulator
    slack: SlackSimulator
    feishu: FeishuSimulator
    dingtalk: DingTalkSimulator

    @property
    def sections(self) -> dict[str, dict[str, Any]]:
        return {
            "telegram": {"bot_token": self.telegram.token, "api_url": self.telegram.api_url},
            "slack": {
                "bot_token": self.slack.bot_token,
                "app_token": self.slack.app_token,
                "api_url": self.slack.api_url,
            },
            "feishu": {
                "app_id": self.feishu.world.app_id,
                "app_secret": self.feishu.world.secret,
                "domain": self.feishu.url,
            },
            "dingtalk": {
                "client_id": self.dingtalk.client_id,
                "client_secret": self.dingtalk.client_secret,
                "api_url": self.dingtalk.url,
                "oapi_url": self.dingtalk.url,
            },
        }


@contextmanager
def running_platforms() -> Iterator[Platforms]:
    """All four, while entered."""
    with ExitStack() as stack:
        yield Platforms(
            stack.enter_context(TelegramSimulator()),
            stack.enter_context(SlackSimulator()),
            stack.enter_context(FeishuSimulator()),
            stack.enter_context(DingTalkSimulator()),
        )


@dataclass
class Bench:
    """One attempt: a folder for `config.yaml`, and what is undone after it."""

    folder: Path
    platforms: Platforms
    agent_url: str
    monkeypatch: pytest.MonkeyPatch
    stack: ExitStack = field(default_factory=ExitStack)
    late: float = 0.0

    def section(self, channel: str, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - settings
        """A configuration with this channel only, so changed."""
        return {"channels": {channel: self.platforms.sections[channel] | changes}}

    def write(self, tree: dict[str, Any]) -> LoadedSettings:
        """Settings out of a file with this tree; the page has a free port unless it is given."""
        tree.setdefault("console", {"port": 0})
        file = self.folder / "config.yaml"
        file.write_text(json.dumps(tree), "utf-8")
        file.chmod(0o600)
        return load_settings(None, {}, self.folder)

    def occupy(self) -> int:
        """A port that another program has."""
        taken = self.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        return int(taken.getsockname()[1])

    def occupy_closed(self) -> int:
        """A port at which nobody listens."""
        return free_port()

    def answer(self, status: int, tls: ssl.SSLContext | None = None) -> str:
        """The address of a server that answers everything with this status, or, 0, never answers."""

        closing = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if not status:
                    closing.wait()
                    return
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_HEAD = do_POST = do_GET  # noqa: N815 - the library's names

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.stack.callback(server.server_close)
        self.stack.callback(server.shutdown)
        self.stack.callback(closing.set)
        return f"http{'s' if tls else ''}://127.0.0.1:{server.server_address[1]}"

    def limit_open_files(self, soft: int) -> None:
        """Let so few be open until the attempt is over."""
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
        self.stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, before)

    async def examine(self, loaded: LoadedSettings, group: str) -> list[CheckResult]:
        """What one group of probes finds."""

        context = DoctorContext(loaded, clock=lambda: time.time() + self.late)
        return [result async for result in GROUPS[group](context)]


@asynccontextmanager
async def agent_server(folder: Path) -> AsyncIterator[str]:
    """Our own server with the demonstration, over TCP."""
    up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    options = EmbeddedOptions(folder / "agent.db", api_key=KEY)
    task = asyncio.create_task(serve(options, "127.0.0.1", free_port(), up.set_result))
    try:
        async with asyncio.timeout(patience(20)):
            yield await up
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


Arrange = Callable[[Bench], dict[str, Any]]
