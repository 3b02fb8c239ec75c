"""The support bundle holds nothing that somebody wrote, wherever it was written."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from parley.app.cli import main
from parley.app.doctor.bundle.contents import build_contents
from parley.app.doctor.bundle.masking import ChannelNames, mask_settings
from parley.app.doctor.context import DoctorContext, RunningState
from parley.app.doctor.result import failed, remarked
from parley.app.process.log_memory import LogMemory
from parley.app.settings.load import LoadedSettings, read_settings
from parley.core import turns
from parley.core.ports.health import Health, HealthReport
from parley.core.ports.journal import Document, NewQueueItem
from parley.store.diagnosis import StoreStatistics
from parley.store.sqlite import SqliteStore
from tests.kit.settings_reading import settings

WORD, NUMBER = "planted", "471100471100"
"""What is planted: as a part of every text, and as every id."""

CONFIG = f"""
data_dir: {{folder}}/planted-data
agent:
  url: https://planted-user:planted-password@planted.example.com/planted-path
  api_key: planted-key-of-the-agent
  assistant: planted-assistant
  headers: {{{{planted-header: Bearer planted-value}}}}
session:
  context: {{{{planted_key: planted-context, planted_id: {NUMBER}}}}}
  config: {{{{configurable: {{{{planted_nested: [{NUMBER}, planted-deep]}}}}}}}}
memory:
  model_name: "openai:planted-model"
  model_api_key: planted-memory-key
  prompts_dir: planted-prompts
  base_url: http://planted:planted-password@127.0.0.1:9/v1
transcription: {{{{url: "http://planted:planted-password@127.0.0.1:9/v1", api_key: planted-speech-key}}}}
store: {{{{url: "sqlite:///planted-data/planted.db"}}}}
console: {{{{port: 0, token: planted-console-token, names: [planted.example.com]}}}}
channels:
  telegram:
    bot_token: "{NUMBER}:planted-bot-token"
    api_url: http://127.0.0.1:9
    allowed_users: [{NUMBER}]
    chats: {{{{"-{NUMBER}": {{{{mention: never, allowed_users: ["{NUMBER}"]}}}}}}}}
    session: {{{{users: {{{{"{NUMBER}": {{{{assistant_id: planted-own}}}}}}}}}}}}
  planted-sales: {{{{type: slack, bot_token: xoxb-planted, app_token: xapp-planted, api_url: "http://127.0.0.1:9"}}}}
"""


@pytest.fixture
def planted(tmp_path: Path) -> LoadedSettings:
    return read_settings(CONFIG.format(folder=tmp_path), "planted.yaml", {}, tmp_path)


def demand_clean(content: bytes) -> None:
    text = content.decode().lower()
    assert WORD not in text, text[max(0, text.index(WORD) - 200) :][:400]
    assert NUMBER not in text, text[max(0, text.index(NUMBER) - 200) :][:400]


def test_settings_keep_their_structure_and_lose_what_is_somebodys(planted: LoadedSettings) -> None:
    masked = json.loads(json.dumps(mask_settings(planted, ChannelNames.read(planted))))
    demand_clean(json.dumps(masked).encode())
    assert masked["agent"] == {
        "url": "<address>",
        "api_key": "<set>",
        "assistant": "<set>",
        "headers": {"<name 1>": "<set>", "<name 2>": "<set>"},  # the second is the password of the address
    }
    assert masked["session"]["context"] == {"<name 1>": "<set>", "<name 2>": "<number>"}
    assert masked["channels"]["telegram"]["chats"] == {
        "<name 1>": {"mention": "never", "allowed_users": ["<set>"]}
    }
    assert masked["channels"]["telegram"]["on"] is True
    assert [name for name in masked["channels"] if name.startswith("slack-")] != []


def test_what_our_schema_knows_is_left() -> None:
    loaded = settings(
        "log_level: debug\nagent: {url: embedded}\nmemory: {max_facts: 50, ranking: weighted}\n"
    )
    masked = mask_settings(loaded, ChannelNames.read(loaded))
    assert (masked["log_level"], masked["agent"]) == ("debug", {"url": "embedded"})
    assert masked["memory"] == {"max_facts": 50, "ranking": "weighted"}


def test_every_file_is_clean(planted: LoadedSettings) -> None:
    metrics = (
        '# TYPE parley_up gauge\nparley_up{part="planted-sales"} 1.0\nparley_up{part="telegram"} 1.0\n'
        f'# TYPE parley_x gauge\nparley_x{{assistant="planted",kind="{NUMBER}-planted-and-long"}} 1.0\n'
        '# TYPE planted_total counter\nplanted_total{kind="turn"} 3.0\n'
    )
    report = HealthReport("planted-sales", Health.RETRYING, "planted detail", 1.0)
    running = RunningState({"planted-sales": report, "agent": replace(report, name="agent")}, WORD, metrics)
    results = [
        failed(
            "channels.planted-sales.connection", "planted text", "planted remedy", "channels.planted-sales"
        ),
        failed("agent.run", "planted", "planted", f"channels.telegram.chats.-{NUMBER}.allowed_users[0]"),
        remarked("settings", "planted", "planted", "session.context.planted_key, planted.place"),
    ]
    rows = (("turns/planted-sales", "waiting", 3, 5.0), ("planted", "dead", 1, 2.0))
    statistics = StoreStatistics("sqlite", 3, 4096, rows, {"planted": 2, "thread": 4})
    contents = build_contents(DoctorContext(planted, running), results, statistics, ())
    for content in contents.values():
        demand_clean(content)
    checks = json.loads(contents["doctor.json"])["checks"]
    assert [each["name"] for each in checks][1:] == ["agent.run", "settings"]
    assert [each["place"] for each in checks][1:] == ["channels.telegram.chats", "session.context, "]
    store = json.loads(contents["store.json"])
    assert store["documents"] == {"other": 2, "thread": 4}
    assert [item["queue"].partition("/")[0] for item in store["items"]] == ["turns", "other"]
    assert {"name": "parley_up", "labels": {"part": "telegram"}, "value": "1.0"} in json.loads(
        contents["metrics.json"]
    )


class PlantedError(Exception):
    """As a graph has them: its name is somebody's word."""


def test_of_the_log_only_our_own_words_are_kept() -> None:
    memory, log, library = LogMemory(), logging.getLogger("parley.app.of_tests"), logging.getLogger("planted")
    for logger in (log, library):
        logger.addHandler(memory)
        logger.setLevel(logging.INFO)
    for error in (ValueError("planted"), PlantedError("planted")):
        words, filled = "a turn of %s failed: %s", (NUMBER, "planted")
        about = (type(error), error, None)
        log.handle(logging.LogRecord(log.name, logging.ERROR, turns.__file__, 1, words, filled, about))
    log.warning("planted by a graph that took the name of our logger")
    library.warning("planted")
    log.removeHandler(memory)
    library.removeHandler(memory)
    lines = [line for line in memory.lines() if isinstance(line, dict)]
    demand_clean(json.dumps(lines).encode())
    assert [(line["level"], line["words"]) for line in lines] == [("ERROR", "a turn of %s failed: %s")] * 2
    assert [line["error"] for line in lines] == ["ValueError", "Exception"]


async def _plant_in_store(file: Path) -> None:
    async with SqliteStore.open(file) as store:
        await store.set(Document(f"thread/{NUMBER}-planted", "planted words", 0))
        await store.set(Document("planted/planted", "planted words", 0))
        await store.put(NewQueueItem("turns/planted-sales", "planted-lane", "planted body", dedupe=NUMBER))


def test_the_command_writes_a_private_file_in_which_nothing_planted_is_found(
    planted: LoadedSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = tmp_path / "planted-data"
    (data / "memory" / "planted").mkdir(parents=True)
    (data / "memory" / "planted" / "memory.json").write_text('{"facts": ["planted fact"]}')
    (data / "planted.log").write_text("planted line\n")
    asyncio.run(_plant_in_store(data / "planted.db"))
    (tmp_path / "planted.yaml").write_text(
        CONFIG.format(folder=tmp_path).replace("planted.example.com", "planted.invalid")
    )
    (tmp_path / ".env").write_text("PLANTED_NAME=planted-env\n")
    monkeypatch.setenv("PLANTED_TOO", f"planted-{NUMBER}")
    monkeypatch.setenv("HTTP_PROXY", "http://planted:planted@127.0.0.1:9")
    monkeypatch.chdir(tmp_path)
    bundle = tmp_path / "bundle.tar.gz"
    assert main(["doctor", "--config", "planted.yaml", "--bundle", str(bundle)]) == 1
    said = capsys.readouterr().err
    assert stat.S_IMODE(bundle.stat().st_mode) == 0o600
    with tarfile.open(bundle) as archive:
        members = archive.getmembers()
        assert {member.uname for member in members} == {""}
        for member in members:
            name = member.name.removeprefix("parley-support/")
            assert f"  {name}" in said
            file = archive.extractfile(member)
            assert file is not None
            demand_clean(file.read())
            demand_clean(member.name.encode())
    before = bundle.stat()
    assert main(["doctor", "--config", "planted.yaml", "--bundle", str(bundle)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert bundle.stat().st_mtime_ns == before.st_mtime_ns
