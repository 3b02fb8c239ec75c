"""Dead letters over HTTP, from the command line and as a figure: seen, tried again, dropped."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import cast

import httpx
import pytest

from parley.app.cli.clients.dead_letter_client import DeadLetterClient, LetterNotFound
from parley.app.monitoring.metrics import build_metrics
from parley.app.settings.load import load_settings
from parley.console.api.dead_letters import letter_metrics, letter_routes
from parley.console.api.metrics import metrics_route
from parley.core.dead_letters import DeadLetters, DeadLetterStore
from parley.core.model.address import Conversation, User
from parley.core.model.codec import encode
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import NewQueueItem
from parley.core.state.turn_record import TurnRecord, TurnStage
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.console_server import TOKEN, serving
from tests.kit.doubles.metric_sources import metric_sources
from tests.kit.product.process import parley
from tests.unit.console.api.test_metrics import figures

PATH = "/api/letters"
ANN = User("telegram", "7", "Ann")


async def given_up(store: SqliteStore, text: str = "hi", reason: str = "Forbidden: bot was blocked") -> int:
    """Give an answered message up, and return its number."""
    message = InboundMessage("1", Conversation("telegram", "7"), ANN, text, True, True, 0.0)
    await store.put(NewQueueItem("turns/telegram", "telegram:7", encode(message)))
    (claim,) = await store.claim("turns/telegram", 1)
    item = claim.items[0]
    record = TurnRecord(stage=TurnStage.ANSWERED, items=(item.id,), text=f"you said {text}")
    await store.note(claim, item.id, encode(record))
    await store.bury(claim, [item], reason)
    return item.id


async def test_letters_are_listed_shown_tried_again_and_dropped(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        first, second = await given_up(store, "one"), await given_up(store, "two")
        async with serving(routes=letter_routes(DeadLetters(store))) as http:
            listed = await http.get(PATH)
            assert [each["item"] for each in listed.json()["letters"]] == [second, first]
            assert "you said" not in listed.text
            shown = (await http.get(f"{PATH}/{first}")).json()
            assert (shown["person"], shown["name"], shown["conversation"]) == (
                "telegram:7",
                "Ann",
                "telegram:7",
            )
            assert (shown["said"], shown["answer"]) == ("one", "you said one")
            assert shown["reason"] == "Forbidden: bot was blocked"
            tries = [await http.post(f"{PATH}/{first}/retry") for _ in range(2)]
            drops = [await http.delete(f"{PATH}/{second}") for _ in range(2)]
            assert [each.status_code for each in (*tries, *drops)] == [204, 404, 204, 404]
            assert (await http.get(f"{PATH}/nonsense")).status_code == 404
        assert [item.id for item in await store.waiting("turns/telegram", "telegram:7")] == [first]
        assert await store.dead() == ()


async def test_more_letters_than_a_page_has_are_all_listed_once(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        items = [await given_up(store, str(number)) for number in range(7)]
        async with serving(routes=letter_routes(DeadLetters(store))) as http:
            seen, query = [], {"limit": "3"}
            while query:
                page = (await http.get(PATH, params=query)).json()
                assert len(page["letters"]) <= 3
                seen += [each["item"] for each in page["letters"]]
                assert (await http.delete(f"{PATH}/{seen[-1]}")).status_code == 204
                query = {"limit": "3", "after": page["after"]} if page["after"] else {}
            assert seen == items[::-1]


async def test_messages_of_one_turn_stay_on_one_page(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        before = await given_up(store, "before")
        together = [NewQueueItem("turns/telegram", "telegram:8", "{}") for _ in range(3)]
        await store.put(*together)
        (claim,) = await store.claim("turns/telegram", 1)
        record = encode(TurnRecord(items=tuple(each.id for each in claim.items)))
        await store.note(claim, claim.items[0].id, record)
        await store.bury(claim, claim.items, "broken")
        after = await given_up(store, "after")
        letters = DeadLetters(store)
        first = await letters.page(2)
        assert [each.item for each in first.letters] == [after]
        second = await letters.page(3, first.after)
        assert [len(each.items) for each in second.letters] == [3]
        assert [each.item for each in (await letters.page(3, second.after)).letters] == [before]


@pytest.mark.parametrize("after", ["7", "x/7", "1.0/-7", "1.0/" + "9" * 40, "/", "\x00/1"])
async def test_a_place_of_no_page_is_refused(tmp_path: Path, after: str) -> None:
    async with (
        SqliteStore.open(tmp_path / "parley.db") as store,
        serving(routes=letter_routes(DeadLetters(store))) as http,
    ):
        refused = await http.get(PATH, params={"after": after})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "bad_request")
        assert (await http.get(PATH, params={"limit": "0"})).status_code == 422


async def test_the_gauge_counts_what_waits_for_the_operator(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await given_up(store)
        letters = DeadLetters(store)
        route = metrics_route(
            build_metrics(metric_sources("telegram")),
            lambda: letter_metrics(letters),
        )
        async with serving(routes=[route]) as http:
            found = figures((await http.get("/metrics")).text)
    assert found['parley_dead_letters{queue="turns"}'] == "1.0"
    assert found['parley_dead_letters{queue="memory"}'] == "0.0"


async def test_a_store_that_is_away_leaves_the_other_figures(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        letters = DeadLetters(cast("DeadLetterStore", store))
    assert await letter_metrics(letters) == ()


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A configuration, and a store with one letter that nobody serves."""
    (tmp_path / "config.yaml").write_text("console: {port: 1}\n")
    (tmp_path / "data").mkdir()
    async with SqliteStore.open(tmp_path / "data" / "parley.db") as store:
        await given_up(store)
    return tmp_path


def said(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 0, result.stderr
    return result.stdout


async def test_the_command_line_works_without_a_running_parley(folder: Path) -> None:
    listed = said(parley(folder, "letters", "list"))
    (item,) = [line.split()[0] for line in listed.splitlines()[1:]]
    for part in ("answer", "telegram:7 (Ann)", "Forbidden: bot was blocked"):
        assert part in listed
    assert "you said hi" in said(parley(folder, "letters", "show", item))
    assert "tried again at the next start" in said(parley(folder, "letters", "retry", item))
    assert said(parley(folder, "letters", "list")) == "There are no dead letters.\n"
    gone = parley(folder, "letters", "drop", item)
    assert (gone.returncode, "no dead letter" in gone.stderr) == (1, True)


async def test_dropping_everything_has_to_be_meant(folder: Path) -> None:
    asked = parley(folder, "letters", "drop", "all")
    assert (asked.returncode, "add --yes" in asked.stderr) == (2, True)
    assert "dropped" in said(parley(folder, "letters", "drop", "all", "--yes"))
    assert said(parley(folder, "letters", "list", "--json")).strip() == ""


async def test_the_command_line_asks_the_running_parley(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        item = await given_up(store)
        async with serving(routes=letter_routes(DeadLetters(store))) as http:
            port = httpx.URL(str(http.base_url)).port
            (tmp_path / "config.yaml").write_text(f"console: {{port: {port}, token: {TOKEN}}}\n")
            mailbox = DeadLetterClient(load_settings(None, {}, tmp_path))
            assert [[each.item for each in page] async for page in mailbox.pages()] == [[item]]
            assert (await mailbox.show(item)).answer == "you said hi"
            assert await mailbox.retry(item)
            with pytest.raises(LetterNotFound, match="no dead letter"):
                await mailbox.drop(item)
