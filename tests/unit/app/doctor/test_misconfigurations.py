"""Seeded misconfigurations, each named by the right probe, with its place and its remedy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from parley.app.doctor.result import ProbeStatus
from parley.app.settings.load import read_settings
from parley.core.model.errors import ConfigError
from tests.unit.app.doctor.bench import Bench, Platforms, agent_server, running_platforms
from tests.unit.app.doctor.seeded import TABLE, Seeded, agent
from tests.unit.app.doctor.surroundings import SURROUNDINGS

FAILED, REMARK, OK = ProbeStatus.FAILED, ProbeStatus.REMARK, ProbeStatus.OK


@pytest.fixture(scope="module")
def platforms() -> Iterator[Platforms]:
    with running_platforms() as found:
        yield found


@pytest.fixture
async def bench(
    tmp_path: Path, platforms: Platforms, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Bench]:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    async with agent_server(tmp_path / "server") as url:
        made = Bench(tmp_path / "parley", platforms, url, monkeypatch)
        made.folder.mkdir()
        with made.stack:
            yield made


@pytest.mark.parametrize("seeded", TABLE + SURROUNDINGS, ids=lambda seeded: seeded.title)
async def test_each_seeded_mistake_is_named_where_it_is(bench: Bench, seeded: Seeded) -> None:
    loaded = bench.write(seeded.arrange(bench))
    results = await bench.examine(loaded, seeded.group)
    wrong = [each for each in results if each.status in (FAILED, REMARK) and each.name == seeded.name]
    assert wrong, results
    found = wrong[0]
    assert found.status is seeded.status, found
    assert seeded.words in found.text
    assert seeded.remedy in found.remedy
    assert found.remedy, found
    assert seeded.place in found.place
    assert "hidden" not in repr(results)
    assert not any(each.status is FAILED for each in results if each is not found), results


BAD_CONCURRENCY = ("0", "-1", "1001", "1.5", "many", ".inf", ".nan", "[16]")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("channels: {telegram: {bot_token: '1:a', webhook_url: 'http://here/hooks'}}", "public address"),
        ("channels: {telegram: {bot_token: '1:a', webhook_secret: short}}", "16 to 256"),
        ("channels: {telegram: {tokn: '1:a'}}", "did you mean"),
        ("memory: {max_fact: 10}", 'did you mean "max_facts"'),
        *((f"memory: {{max_concurrency: {bad}}}", "memory.max_concurrency") for bad in BAD_CONCURRENCY),
        ("agent: {url: $NO_SUCH_NAME}", "NO_SUCH_NAME"),
    ],
)
def test_settings_that_cannot_be_used_are_named_before_anything_is_tried(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        read_settings(text, "config.yaml", {}, tmp_path)


@pytest.mark.parametrize("name", ["telegram", "slack", "feishu", "dingtalk"])
async def test_a_channel_that_is_well_is_let_in_and_connected(bench: Bench, name: str) -> None:
    loaded = bench.write(bench.section(name))
    results = await bench.examine(loaded, "channels") + await bench.examine(loaded, "network")
    assert {each.status for each in results} == {OK}, results
    assert [each.name for each in results] == [
        *(f"channels.{name}.{part}" for part in ("credentials", "scopes", "connection", "network", "clock"))
    ]


async def test_an_agent_that_is_well_answers(bench: Bench) -> None:
    results = await bench.examine(bench.write(agent()(bench)), "agent")
    assert results[0].status is OK
    assert 'A run of "agent" answered after' in results[0].text


async def test_memory_learns_and_recalls_and_leaves_nothing_behind(bench: Bench) -> None:
    results = await bench.examine(bench.write({}), "memory")
    assert [(each.name, each.status) for each in results] == [("memory.lesson", OK), ("memory.recall", OK)]
    assert [each.name for each in bench.folder.iterdir()] == ["config.yaml"]


async def test_a_store_that_is_well_is_written_to_and_left_as_it_was(bench: Bench) -> None:
    results = await bench.examine(bench.write({}), "store")
    assert [(each.name, each.status) for each in results] == [("store.write", OK), ("store.schema", OK)]
    assert [each.name for each in bench.folder.iterdir()] == ["config.yaml"]
