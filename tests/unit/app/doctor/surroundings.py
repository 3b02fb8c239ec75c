"""Seeds that are not in the settings: servers that are silent, old keys, trust, proxies, names and disks."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from parley.app.doctor.result import ProbeStatus
from tests.kit.samples.certificates import ServerCertificate
from tests.unit.app.doctor.bench import Arrange, Bench
from tests.unit.app.doctor.seeded import Seeded

SILENT, EXPIRED = 0, 401
NETWORK_PATIENCE = "parley.app.doctor.network._PATIENCE"
HEALTH_PATIENCE = "parley.agent.transport.health_probe._PATIENCE"
VERSION_PATIENCE = "parley.app.doctor.agent._PATIENCE"
RUN_PATIENCE = "parley.app.checks.trial_run._PATIENCE"
ENDLESS = """
import asyncio
from langgraph.graph import START, MessagesState, StateGraph

async def wait(state: MessagesState):
    await asyncio.Event().wait()

graph = StateGraph(MessagesState).add_node(wait).add_edge(START, "wait").compile()
"""


def silent_agent(patience: str) -> Arrange:
    """An agent server that takes the request and says nothing; the probe waits for a moment only."""

    def arrange(bench: Bench) -> dict[str, Any]:
        bench.monkeypatch.setattr(patience, 0.3)
        bench.monkeypatch.setattr(VERSION_PATIENCE, 0.3)
        return {"agent": {"url": bench.answer(SILENT)}}

    return arrange


def endless_run(bench: Bench) -> dict[str, Any]:
    bench.monkeypatch.setattr(RUN_PATIENCE, 1.0)
    (bench.folder / "endless.py").write_text(ENDLESS)
    return {"agent": {"graphs": {"agent": "endless.py:graph"}}}


def expired_key(bench: Bench) -> dict[str, Any]:
    key = {"model": "openai:gpt-5-mini", "model_api_key": "sk-hidden-and-expired"}
    return {"agent": {**key, "base_url": bench.answer(EXPIRED)}}


def untrusted_agent(bench: Bench) -> dict[str, Any]:
    certificate = ServerCertificate.make(bench.folder)
    url = bench.answer(200, certificate.server_context())
    return {"agent": {"url": url.replace("127.0.0.1", "localhost")}}


def silent_proxy(bench: Bench) -> dict[str, Any]:
    bench.monkeypatch.setattr(NETWORK_PATIENCE, 0.3)
    bench.monkeypatch.setenv("http_proxy", bench.answer(SILENT).replace("//", "//user:hidden@"))
    return {"agent": {"url": "http://agent.example.com:2024"}}


def socks_proxy(bench: Bench) -> dict[str, Any]:
    bench.monkeypatch.setenv("all_proxy", "socks5://user:hidden@127.0.0.1:1080")
    return {"agent": {"url": bench.agent_url}}


def unknown_agent(bench: Bench) -> dict[str, Any]:
    return {"agent": {"url": "https://agent.invalid"}}


def unknown_database(bench: Bench) -> dict[str, Any]:
    store = {"url": "postgresql://parley:hidden@database.invalid:5432/parley"}
    return {"store": store, "agent": {"url": bench.agent_url}}


def late_agent_clock(bench: Bench) -> dict[str, Any]:
    bench.late = 90.0
    return {"agent": {"url": bench.answer(200)}}


def disk_with(**shown: int) -> Callable[[Bench], dict[str, Any]]:
    """A disk of which the system says so; a real full one is in tests/e2e/operation/test_doctor.py."""

    def arrange(bench: Bench) -> dict[str, Any]:
        if "free" in shown:
            bench.monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(**shown))
        else:
            bench.monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(**shown))
        return {}

    return arrange


SURROUNDINGS = (
    Seeded(
        "agent: never answers",
        silent_agent(HEALTH_PATIENCE),
        "agent",
        "agent.run",
        "no answer in time",
        "address",
        "agent.url",
    ),
    Seeded(
        "agent: never answers its network probe",
        silent_agent(NETWORK_PATIENCE),
        "network",
        "agent.network",
        "nothing came in time",
        "firewall",
        "agent.url",
    ),
    Seeded(
        "agent: a run that does not end",
        endless_run,
        "agent",
        "agent.run",
        'a run of "agent" made no end within 1 seconds',
        "look into the graph",
        "agent.assistant",
    ),
    Seeded(
        "model: key expired",
        expired_key,
        "agent",
        "agent.run",
        "Error code: 401",
        "refused its key or account: write a valid key",
        "agent.model_api_key",
    ),
    Seeded(
        "agent: certificate is not trusted",
        untrusted_agent,
        "network",
        "agent.network",
        "its certificate is not trusted here",
        "SSL_CERT_FILE",
        "agent.url",
    ),
    Seeded(
        "agent: certificate is not trusted, asked for a run",
        untrusted_agent,
        "agent",
        "agent.run",
        "certificate",
        "SSL_CERT_FILE",
        "agent.url",
    ),
    Seeded(
        "proxy never answers",
        silent_proxy,
        "network",
        "agent.network",
        "is not reached through the proxy 127.0.0.1",
        "HTTPS_PROXY",
        "agent.url",
    ),
    Seeded(
        "proxy is no HTTP proxy",
        socks_proxy,
        "network",
        "network.proxies",
        "passed over: ALL_PROXY",
        "http://HOST:PORT",
        status=ProbeStatus.REMARK,
    ),
    Seeded(
        "agent: name unknown",
        unknown_agent,
        "network",
        "agent.network",
        "no address was found for agent.invalid",
        "/etc/resolv.conf",
        "agent.url",
    ),
    Seeded(
        "agent: name unknown, asked for a run",
        unknown_agent,
        "agent",
        "agent.run",
        "agent.invalid",
        "address",
        "agent.url",
    ),
    Seeded(
        "store: name unknown",
        unknown_database,
        "store",
        "store.write",
        "no address was found for the server's name",
        "/etc/resolv.conf",
        "store.url",
    ),
    Seeded(
        "clock ahead of the agent's",
        late_agent_clock,
        "network",
        "agent.clock",
        "s ahead of that of 127.0.0.1",
        "timedatectl",
    ),
    Seeded(
        "machine: disk nearly full",
        disk_with(free=12_000_000),
        "machine",
        "machine.disk",
        "12 MB are free",
        "make room",
        "data_dir",
    ),
    Seeded(
        "machine: no inodes",
        disk_with(f_files=10**6, f_favail=3, f_bavail=10**6, f_blocks=10**6, f_bfree=10**6, f_frsize=4096),
        "machine",
        "machine.inodes",
        "3 more files",
        "df -i",
        "data_dir",
    ),
)
