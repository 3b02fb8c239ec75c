"""Memory over HTTP, of a Parley as its users run it: what a chat teaches is read, changed and forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from parley.console.memory_client import MemoryClient, MemoryRefused
from tests.kit.product.process import PATIENCE, Process, split, way_in
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

TOKEN = "correct-horse-battery"
KEY = "sk-not-for-anybody-4711"


@pytest.fixture
def parley(tmp_path: Path) -> Iterator[Process]:
    config = {
        "agent": {"model_api_key": KEY},
        "memory": {"debounce_seconds": 0.2, "max_wait": 2, "model_api_key": KEY},
    }
    parley = begin(tmp_path, config)
    try:
        parley.wait_until_up()
        yield parley
    finally:
        end(parley)


def contents(document: object) -> list[str]:
    assert isinstance(document, dict)
    return [fact["content"] for fact in document["facts"]]


def until_learned(client: MemoryClient, word: str) -> dict[str, str]:
    """The fact with this word, once it is there: learning comes a little after the answer."""
    for _ in range(6_000):
        document: Any = client.get_memory()
        facts: list[dict[str, str]] = document["facts"]
        for fact in facts:
            if word in fact["content"]:
                return fact
    raise AssertionError(f"{word!r} was not learned")


def test_what_a_chat_teaches_is_in_the_persons_hands(parley: Process):
    person = WebPerson(parley.url)
    with MemoryClient(*split(parley.url), timeout=PATIENCE) as client:
        assert contents(client.get_memory()) == []
        person.ask("I live in Rome. I prefer tea over coffee.")
        rome = until_learned(client, "Rome")
        assert "lives in Rome" in person.ask("What do you know about me?").text

        assert client.get_memory_people()["people"] == ["web:local"]
        client.update_memory_fact(rome["id"], content="Lives in Oslo")
        client.create_memory_fact("Has two cats", "context", 0.9)
        told = person.ask("What do you know about me?").text
        assert "Oslo" in told
        assert "two cats" in told
        assert "Rome" not in told
        with pytest.raises(MemoryRefused, match="remembered already"):
            client.create_memory_fact("has two cats.")

        kept = client.export_memory()
        parley.kill()
        parley.start()
    with MemoryClient(*split(parley.url), timeout=PATIENCE) as client:
        assert client.get_memory() == kept
        client.switch_memory(False)
        assert "told nothing" in person.ask("What do you know about me?").text
        client.switch_memory(True)
        assert contents(client.clear_memory()) == []
        assert "told nothing" in person.ask("What do you know about me?").text
        assert contents(client.import_memory(kept)) == contents(kept)
        assert "Oslo" in person.ask("What do you know about me?").text
    person.close()
    with httpx.Client(**way_in(parley.url), timeout=PATIENCE) as http:
        answers = [http.get(f"/api/memory/{each}") for each in ("status", "config")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert not [answer for answer in answers if KEY in answer.text]


def test_with_a_token_nobody_reads_a_memory_without_it(tmp_path: Path):
    parley = begin(tmp_path, {"console": {"port": 0, "token": TOKEN}, "memory": {"enabled": False}})
    try:
        parley.wait_until_up()
        with (
            MemoryClient(*split(parley.url), timeout=PATIENCE) as stranger,
            pytest.raises(MemoryRefused) as refusal,
        ):
            stranger.get_memory()
        assert refusal.value.status == 401
        with MemoryClient(parley.url, TOKEN, timeout=PATIENCE) as client:
            assert client.get_memory_config()["enabled"] is False
            assert client.get_memory_status()["data"] is None
            with pytest.raises(MemoryRefused, match="switched off") as off:
                client.get_memory()
            assert off.value.status == 409
    finally:
        end(parley)
