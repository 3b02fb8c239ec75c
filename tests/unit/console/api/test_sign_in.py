"""The pages of a sign-in: which browser has it, what people read, and what no page and no link can do."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from parley.app.composition.embedded.sign_ins import sign_in_routes
from parley.server.accounts.files import AccountFiles
from parley.server.accounts.sign_in_addresses import SignInAddressRefused
from parley.server.accounts.sign_ins import PATIENCE, Issuer, PendingSignIn, RequestedSignIn, SignIns

PARLEY = "https://parley.test"
ONWARD = "https://login.example.com/authorize?client_id=c&state=s-1"
BACK = f"{PARLEY}/mcp/callback?state=s-1&code=good"
ANN = RequestedSignIn("desk", "https://bücher.example:8443/mcp", "Ann \u202e<b>", "slack")


@dataclass
class Scene:
    """A link that Ann was sent, her browser, and that of somebody else."""

    sign_ins: SignIns
    now: list[float]
    link: str
    pending: PendingSignIn
    hers: httpx.AsyncClient
    other: httpx.AsyncClient


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    now = [0.0]
    sign_ins = SignIns(AccountFiles(tmp_path), PARLEY, lambda: now[0])
    link, pending = sign_ins.open(ANN, ONWARD)
    async with browser_at(sign_ins) as hers, browser_at(sign_ins) as other:
        yield Scene(sign_ins, now, link, pending, hers, other)


def browser_at(sign_ins: SignIns) -> httpx.AsyncClient:
    """A browser with cookies of its own."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(Starlette(routes=sign_in_routes(sign_ins))))


def token_in(page: httpx.Response) -> str:
    (token,) = re.findall(r'name="token" value="([0-9a-f]+)"', page.text)
    return str(token)


async def send_form(browser: httpx.AsyncClient, link: str) -> httpx.Response:
    return await browser.post(link, data={"token": token_in(await browser.get(link))})


async def bring_back(scene: Scene, browser: httpx.AsyncClient, back: str = BACK) -> httpx.Response:
    """Come back with a code, which the server takes if it is given one."""

    async def take() -> None:
        await scene.pending.code
        scene.sign_ins.close(scene.pending, True)

    taking = asyncio.create_task(take())
    page = await browser.get(back)
    taking.cancel()
    return page


async def test_the_form_gives_the_sign_in_to_its_browser_and_no_other_one_ends_it(scene: Scene) -> None:
    answer = await send_form(scene.hers, scene.link)
    assert (answer.status_code, answer.headers["location"]) == (303, ONWARD)
    # Whoever was sent the server's own address, or reads the link later, has another browser.
    for attempt in (
        await bring_back(scene, scene.other),
        await scene.other.get(scene.link),
        await scene.other.post(scene.link, data={"token": "0" * 64}),
    ):
        assert (attempt.status_code, "another browser" in attempt.text) == (403, True)
    assert (await bring_back(scene, scene.hers)).status_code == 200
    assert scene.pending.code.result() == "good"
    # It is used up.
    assert (await scene.hers.get(scene.link)).status_code == 404
    assert (await scene.hers.get(BACK)).status_code == 404


async def test_opening_a_link_binds_nothing_and_uses_nothing_up(scene: Scene) -> None:
    for _ in range(3):
        preview = await scene.other.get(scene.link)
        assert preview.status_code == 200
        assert (await scene.other.head(scene.link)).status_code == 200
        assert "login.example.com/authorize" not in preview.text, "the way on is for who sends the form"
    assert (await bring_back(scene, scene.other)).status_code == 403
    assert (await send_form(scene.hers, scene.link)).status_code == 303


async def test_a_form_needs_the_cookie_and_the_token_of_one_page(scene: Scene) -> None:
    mine, others = token_in(await scene.hers.get(scene.link)), token_in(await scene.other.get(scene.link))
    second, _ = scene.sign_ins.open(ANN, ONWARD.replace("s-1", "s-2"))
    of_second = token_in(await scene.hers.get(second))
    async with browser_at(scene.sign_ins) as bare:
        assert (await bare.post(scene.link, data={"token": mine})).status_code == 403
    for token in (others, of_second, "", "é", mine + " " * 5_000):
        assert (await scene.hers.post(scene.link, data={"token": token})).status_code == 403
    assert (await scene.hers.post(scene.link, data={"token": mine})).status_code == 303


async def test_what_a_page_sends_keeps_it_to_itself(scene: Scene) -> None:
    page = await scene.hers.get(scene.link)
    going = await scene.hers.post(scene.link, data={"token": token_in(page)})
    for answer in (page, going, await bring_back(scene, scene.other)):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        policy = answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "form-action" not in policy
    (cookie,) = page.headers.get_list("set-cookie")
    assert {part.strip().lower() for part in cookie.split(";")[1:]} == {
        "httponly",
        "max-age=900",
        "path=/mcp",
        "samesite=lax",
        "secure",
    }


@pytest.mark.parametrize(
    ("address", "path", "secure"),
    [("http://10.0.0.2:8765", "/mcp", False), ("https://example.org/parley/", "/parley/mcp", True)],
)
async def test_the_cookie_goes_where_the_pages_are(
    tmp_path: Path, address: str, path: str, secure: bool
) -> None:
    sign_ins = SignIns(AccountFiles(tmp_path), address)
    link, _ = sign_ins.open(ANN, ONWARD)
    async with browser_at(sign_ins) as browser:
        cookie = (await browser.get(f"{PARLEY}/mcp/sign-in?{link.partition('?')[2]}")).headers["set-cookie"]
    assert (f"Path={path};" in cookie, "Secure" in cookie) == (True, secure)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en-GB,en", ("used at: xn--bcher-kva.example:8443", "sign in at: login.example.com", "on slack")),
        ("zh-CN", ("账号用于：xn--bcher-kva.example:8443", "登录地址：login.example.com", "slack 上的 Ann")),
    ],
)
async def test_people_read_whose_account_goes_where(
    scene: Scene, language: str, words: tuple[str, ...]
) -> None:
    text = (await scene.hers.get(scene.link, headers={"accept-language": language})).text
    assert all(each in text for each in words)
    assert "Ann &lt;b&gt;" in text
    assert "\u202e" not in text


ISSUER = "https://login.example.com"


@pytest.mark.parametrize(
    ("promised", "named", "status"),
    [
        (True, f"&iss={ISSUER}", 200),
        (True, "", 400),
        (True, f"&iss={ISSUER}/", 400),
        (False, "", 200),
        (False, f"&iss={ISSUER}", 200),
        (False, "&iss=https://evil.example", 400),
        (False, "&iss=", 400),
        (True, f"&iss=https://evil.example&iss={ISSUER}", 400),
    ],
)
async def test_a_code_of_another_issuer_is_not_handed_on(
    scene: Scene, promised: bool, named: str, status: int
) -> None:
    onward = ONWARD.replace("s-1", "s-2")
    link, pending = scene.sign_ins.open(ANN, onward, Issuer(ISSUER, promised))
    await send_form(scene.hers, link)
    mixed = replace(scene, pending=pending)
    page = await bring_back(mixed, scene.hers, BACK.replace("s-1", "s-2") + named)
    assert (page.status_code, pending.code.done()) == (status, status == 200)
    assert ("did not work" in page.text) == (status == 400)
    refused = await scene.hers.get(f"{PARLEY}/mcp/callback?state=s-2&error=access_denied{named}")
    assert refused.status_code == (404 if status == 200 else 400), "an error hands nothing on, of whomever"


async def test_a_link_holds_for_a_while_only(scene: Scene) -> None:
    await send_form(scene.hers, scene.link)
    scene.now[0] = PATIENCE
    for page in (await scene.hers.get(scene.link), await bring_back(scene, scene.hers)):
        assert (page.status_code, "does not hold" in page.text) == (404, True)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)?state=s",
        "file:///etc/passwd?state=s",
        "https://x.test/",
        "http://x.test/?state=s",
        "https://x.test@evil.test/?state=s",
    ],
)
async def test_no_browser_is_sent_to_what_is_no_place_to_sign_in(tmp_path: Path, url: str) -> None:
    with pytest.raises(SignInAddressRefused):
        SignIns(AccountFiles(tmp_path), PARLEY).open(ANN, url)
