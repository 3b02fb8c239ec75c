"""A user and a password in `agent.url`: the server hears them, and nobody else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from parley.app.cli.startup_summary import summarise_startup
from parley.app.composition.agent import open_agent
from parley.core.ports.health import Health
from tests.kit.settings_reading import mistakes, settings


def basic(user: str, password: str) -> str:
    """Return the header as httpx writes it."""
    flow = httpx.BasicAuth(user, password).auth_flow(httpx.Request("GET", "http://agent.example"))
    return next(flow).headers["Authorization"]


WANTED = basic("an@na", "ge:heim")


@pytest.mark.parametrize(
    ("agent", "sent"),
    [
        ("url: 'https://an%40na:ge%3Aheim@agent.example/api'", WANTED),
        ("url: 'https://an%40na:ge%3Aheim@agent.example/api', headers: ", WANTED),
        ("url: 'https://ada:пароль@agent.example/api'", basic("ada", "пароль")),
        ("url: 'https://ada@agent.example/api', headers: {x-team: one}", basic("ada", "")),
    ],
)
def test_they_become_a_header(agent: str, sent: str):
    section = settings(f"agent: {{{agent}}}").settings.agent
    assert section.url == "https://agent.example/api"
    assert section.headers["Authorization"] == sent


def test_a_header_of_ones_own_comes_first():
    text = "agent: {url: 'https://ada:secret@agent.example', headers: {authorization: Bearer x}}"
    section = settings(text).settings.agent
    assert (section.url, section.headers) == ("https://agent.example", {"authorization": "Bearer x"})


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("url: 'ftp://ada:geheim@agent.example'", "must be"),
        ("url: 'ada:geheim@agent.example'", "must be"),
        ("url: 'http://ada:geheim@'", "with a host"),
        ("url: 'http://agent.example', gateway_url: 'http://ada:geheim@agent.example'", "without user"),
        ("base_url: 'ftp://ada:geheim@model.example'", "must start with"),
        ("base_url: 'ada:geheim@model.example'", "must start with"),
    ],
)
def test_a_mistake_does_not_show_them(agent: str, expected: str):
    (told,) = mistakes(f"agent: {{{agent}}}")
    assert expected in told
    assert "geheim" not in told


async def test_the_server_takes_them_and_no_report_shows_them(tmp_path: Path):
    heard: list[str] = []

    async def guarded(request: web.BaseRequest) -> web.Response:
        heard.append(request.headers.get("Authorization", ""))
        if heard[-1] != WANTED:
            return web.json_response({"detail": "who?"}, status=401)
        return web.json_response([] if request.method == "POST" else {"ok": True})

    async with RawTestServer(guarded) as server:
        place = f"127.0.0.1:{server.port}"
        text = f"agent: {{url: 'http://an%40na:ge%3Aheim@{place}'}}"
        loaded = replace(settings(text), data_dir=tmp_path)
        text = f"agent: {{url: 'http://an%40na:ge%3Aheim@127.0.0.1:{server.port}'}}"
        loaded = replace(settings(text), data_dir=tmp_path)
        async with open_agent(loaded) as agent:
            report = await agent.health()

    assert (report.health, report.detail) == (Health.UP, f"http://{place}")
    assert set(heard) == {WANTED}
    assert "heim" not in "\n".join(summarise_startup(loaded))
