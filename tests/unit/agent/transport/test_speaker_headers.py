"""Headers that say who speaks."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from urllib.parse import unquote

import httpx
import pytest

from parley.agent.transport.http_client import AgentEndpoint, make_clients
from parley.agent.transport.speaker_headers import ThreadSpeakers, fill_headers, has_places, speaking
from parley.core.model.address import RunIdentity

ANN = RunIdentity("slack:U1", "telegram:7", "telegram", "telegram", "7", "7:1")
HEADERS = {
    "X-Person": "p={person}",
    "X-Account": "{account}",
    "X-Platform": "{platform}",
    "X-Json": '{"a": {}}',
}


class Recorder(httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        self.headers: list[httpx.Headers] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.headers.append(request.headers)
        return httpx.Response(200, json=[])


def test_places_are_filled_and_all_else_stays() -> None:
    with speaking(ANN):
        filled = fill_headers(HEADERS)
    assert list(filled.values()) == ["p=slack:U1", "telegram:7", "telegram", '{"a": {}}']
    assert list(fill_headers(HEADERS).values())[:3] == ["p=parley", "parley", "parley"]
    assert has_places(HEADERS)
    assert not has_places({"X-Json": '{"a": {}}'})


@pytest.mark.parametrize(
    "person", ["a\r\nX-Admin: yes", "a\nb", "a\0b", "李雷", "{account}", "a%0d%0ab", "x y", "\x7f", 'a"b;c,d']
)
def test_no_id_ends_a_header_or_adds_one(person: str) -> None:
    with speaking(replace(ANN, person=person)):
        value = fill_headers({"X": "{person}"})["X"]
    assert value.isascii()
    assert value.isprintable()
    assert not set(value) & set(' {}",;\r\n')
    assert unquote(value) == person


async def test_each_turn_is_its_own_speaker() -> None:
    server = Recorder()
    http, sdk = make_clients(AgentEndpoint("http://agent.example", headers=HEADERS), server)

    async def turn(person: str) -> None:
        with speaking(replace(ANN, person=person)):
            await sdk.assistants.search()
            await asyncio.sleep(0)
            await sdk.runs.list("t")

    async with http:
        await asyncio.gather(turn("slack:A"), turn("slack:B"))
        await sdk.assistants.search()
    sent = [headers.get_list("x-person") for headers in server.headers]
    assert sorted(sent) == [["p=parley"], ["p=slack:A"], ["p=slack:A"], ["p=slack:B"], ["p=slack:B"]]


def test_whoever_spoke_last_in_a_thread_is_remembered() -> None:
    speakers = ThreadSpeakers()
    speakers.note("t1", ANN)
    speakers.note("t1", None)
    assert speakers.of("t1") is ANN
    assert speakers.of("t2") is None
