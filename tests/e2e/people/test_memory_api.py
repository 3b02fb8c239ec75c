"""Memory over HTTP, of a Parley as its users run it: what a chat teaches is read, changed and forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from parley import Client, ClientError
from parley.app.openapi.memory_answers import FactAnswer
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


def until_learned(client: Client, word: str) -> FactAnswer:
    """The fact with this word, once it is there: learning comes a little after the answer."""
    for _ in range(6_000):
        for fact in client.memory.get()["facts"]:
            if word in fact["content"]:
                return fact
    raise AssertionError(f"{word!r} was not learned")


def client_of(address: str, token: str = "") -> Client:
    url, printed = split(address)
    return Client(url=url, token=token or printed, timeout=PATIENCE)


def test_what_a_chat_teaches_is_in_the_persons_hands(parley: Process):
    person = WebPerson(parley.url)
    with client_of(parley.url) as client:
        assert contents(client.memory.get()) == []
        person.ask("I live in Rome. I prefer tea over coffee.")
        rome = until_learned(client, "Rome")
        assert "lives in Rome" in person.ask("What do you know about me?").text

        assert client.memory.people().people == ["web:local"]
        client.memory.update(rome["id"], content="Lives in Oslo")
        client.memory.add("Has two cats", "context", 0.9)
        told = person.ask("What do you know about me?").text
        assert "Oslo" in told
        assert "two cats" in told
        assert "Rome" not in told
        with pytest.raises(ClientError, match="remembered already"):
            client.memory.add("has two cats.")

        kept = client.memory.export()
        parley.kill()
        parley.start()
    with client_of(parley.url) as client:
        assert client.memory.get() == kept
        client.memory.switch(False)
        assert "told nothing" in person.ask("What do you know about me?").text
        client.memory.switch(True)
        assert contents(client.memory.clear()) == []
        assert "told nothing" in person.ask("What do you know about me?").text
        assert contents(client.memory.replace(kept)) == contents(kept)
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
            client_of(parley.url) as stranger,
            pytest.raises(ClientError) as refusal,
        ):
            stranger.memory.get()
        assert refusal.value.status == 401
        with client_of(parley.url, TOKEN) as client:
            assert client.memory.config()["enabled"] is False
            assert client.memory.status().data["facts"] == []
            with pytest.raises(ClientError, match="switched off") as off:
                client.memory.get()
            assert off.value.status == 409
    finally:
        end(parley)
