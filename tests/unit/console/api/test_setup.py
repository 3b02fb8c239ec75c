"""Who may set a new Parley up: somebody at its own machine with the token, and nobody's web page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import httpx
import pytest
from starlette.applications import Starlette

from parley.console.api.setup import SetupAgentBody, setup_routes
from parley.console.api.setup_state import SetupState
from parley.console.auth.access_control import with_access_control
from parley.console.http.options import ConsoleOptions
from parley.core.model.errors import ParleyError

TOKEN = "a-long-enough-token"
BEARER = {"authorization": f"Bearer {TOKEN}"}
HERE = ("127.0.0.1", 50_000)


class Steps:
    """Notes each step, and refuses what is wrong."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def state(self, language: str) -> SetupState:
        return SetupState(open=True, problem=language)

    async def try_channel(self, channel: str, keys: Mapping[str, str], server: str) -> None:
        if keys.get("bot_token") == "wrong":
            raise ParleyError("refused by the platform")
        self.taken.append(f"channel {channel}")

    async def begin_scan(self, channel: str, server: str) -> None:
        self.taken.append(f"scan {channel}")

    async def begin_wait(self, channel: str) -> None:
        self.taken.append(f"wait {channel}")

    async def confirm_admin(self, mine: bool) -> None:
        self.taken.append(f"admin {mine}")

    async def end_waiting(self) -> None:
        self.taken.append("end")

    async def list_assistants(self, url: str, key: str) -> Sequence[str]:
        return ["one", "two"]

    async def try_agent(self, chosen: SetupAgentBody) -> None:
        self.taken.append(f"agent {chosen.kind}")

    async def write(self) -> None:
        self.taken.append("write")

    async def forget(self) -> None:
        self.taken.append("forget")


def client(
    steps: Steps | None,
    at: tuple[str, int] = HERE,
    url: str = "http://127.0.0.1:8765",
    generated: bool = True,
) -> httpx.AsyncClient:
    """A client of the routes behind the real access checks, calling from `at`."""
    options = ConsoleOptions(token=TOKEN, generated=generated)
    app = with_access_control(Starlette(routes=list(setup_routes(steps))), options, lambda: 0.0)
    transport = httpx.ASGITransport(app, client=at)
    return httpx.AsyncClient(transport=transport, base_url=url, headers=BEARER)


@pytest.fixture
def steps() -> Steps:
    return Steps()


async def test_every_step_is_taken_and_answers_with_what_there_is(steps: Steps) -> None:
    async with client(steps) as http:
        said = [
            await http.get("/api/setup?language=zh"),
            await http.post("/api/setup/channel?language=zh", json={"channel": "slack", "keys": {"a": "b"}}),
            await http.post("/api/setup/scan?language=zh", json={"channel": "feishu"}),
            await http.post("/api/setup/wait?language=zh", json={"channel": "feishu"}),
            await http.delete("/api/setup/wait?language=zh"),
            await http.post("/api/setup/admin?language=zh", json={"mine": True}),
            await http.post("/api/setup/agent?language=zh", json={"kind": "demonstration"}),
            await http.post("/api/setup/write?language=zh", json={}),
            await http.delete("/api/setup?language=zh"),
        ]
        listed = await http.post("/api/setup/assistants", json={"kind": "server", "url": "http://x"})
    assert [(each.status_code, each.json()["problem"]) for each in said] == [(200, "zh")] * 9
    assert {each.headers["cache-control"] for each in said} == {"no-store"}
    assert listed.json() == {"assistants": ["one", "two"]}
    named = ["channel slack", "scan feishu", "wait feishu", "end", "admin True"]
    assert steps.taken == [*named, "agent demonstration", "write", "forget"]


async def test_what_is_refused_says_why_without_what_was_sent(steps: Steps) -> None:
    async with client(steps) as http:
        wrong = await http.post(
            "/api/setup/channel", json={"channel": "slack", "keys": {"bot_token": "wrong"}}
        )
        strange = await http.post("/api/setup/agent", json={"kind": "demonstration", "key": ["secret-key"]})
        form = await http.post("/api/setup/write", data={"a": "b"})
    assert (wrong.status_code, wrong.json()["error"]["text"]) == (409, "refused by the platform")
    assert (strange.status_code, form.status_code) == (422, 415)
    assert "secret-key" not in strange.text
    assert steps.taken == []


@pytest.mark.parametrize(
    ("how", "headers"),
    [
        ({"at": ("192.168.1.7", 50_000)}, {}),
        ({"generated": False, "url": "https://chat.example.org"}, {}),
        *(({}, {name: "192.168.1.7"}) for name in ("x-forwarded-for", "forwarded", "via", "x-real-ip")),
    ],
)
async def test_a_stranger_with_the_token_sees_and_changes_nothing(
    how: Mapping[str, object], headers: Mapping[str, str], steps: Steps
) -> None:
    async with client(steps, **how) as http:  # type: ignore[arg-type]
        seen = await http.get("/api/setup", headers=dict(headers))
        written = await http.post("/api/setup/write", json={}, headers=dict(headers))
        listed = await http.post("/api/setup/assistants", json={"kind": "server"}, headers=dict(headers))
    assert seen.json()["open"] is False
    assert [each.json()["error"]["code"] for each in (written, listed)] == ["setup_closed"] * 2
    assert steps.taken == []


async def test_nobody_without_the_token_and_no_other_page_comes_in(steps: Steps) -> None:
    async with client(steps) as http:
        foreign = await http.post("/api/setup/write", json={}, headers={"origin": "https://evil.example"})
        navigated = await http.get("/api/setup", headers={"sec-fetch-site": "cross-site"})
        http.headers.pop("authorization")
        unknown = [await http.get("/api/setup"), await http.post("/api/setup/write", json={})]
    assert [foreign.status_code, navigated.status_code] == [403, 403]
    assert [each.status_code for each in unknown] == [401, 401]
    assert steps.taken == []


async def test_a_parley_that_is_set_up_offers_nothing() -> None:
    async with client(None) as http:
        assert (await http.get("/api/setup")).json()["open"] is False
        assert (await http.post("/api/setup/write", json={})).status_code == 403
