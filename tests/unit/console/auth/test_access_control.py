"""Who gets in: hosts, origins, tokens."""

import httpx
import pytest

from parley.console.auth.tokens import SigninAttempts, TokenCheck
from parley.console.http.options import ConsoleOptions
from tests.kit.doubles.console_server import TOKEN, bearer, inside

CHOSEN = ConsoleOptions(port=0, token=TOKEN)
MADE = ConsoleOptions(port=0, token=TOKEN, generated=True)
PAGE = {"accept": "text/html"}


def stranger(options: ConsoleOptions = CHOSEN) -> httpx.AsyncClient:
    return inside(options, signed_in=False)


async def sign_in(http: httpx.AsyncClient, token: str) -> httpx.Response:
    return await http.post("/signin", data={"token": token})


@pytest.mark.parametrize("host", ["localhost:1234", "127.0.0.1", "[::1]:80", "LOCALHOST"])
async def test_a_name_of_this_machine_is_answered(host: str) -> None:
    async with inside() as http:
        assert (await http.get("/api/echo", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example:80",
        "localhost.evil.example",
        "[::2]",
        "[::1].evil.example",
        "[::1]evil.example:80",
        "localhost:80@evil.example",
        "localhost:",
        "",
    ],
)
async def test_a_name_that_was_pointed_here_reaches_nothing(host: str) -> None:
    async with inside() as http:
        for path in ("/", "/api/echo", "/livez"):
            assert (await http.get(path, headers={"host": host})).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://localhost:9"},
        {"origin": "null"},
        {"origin": "ftp://127.0.0.1:8321"},
        {"origin": "127.0.0.1:8321"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    ],
)
async def test_another_sites_page_can_change_nothing(headers: dict[str, str]) -> None:
    async with inside() as http:
        assert (await http.post("/api/echo", headers=headers)).status_code == 403
        assert (await http.delete("/api/echo", headers=headers)).status_code == 403


async def test_another_sites_page_can_read_nothing() -> None:
    async with inside() as http:
        headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
        assert (await http.get("/api/echo", headers=headers)).status_code == 403
        followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
        assert (await http.get("/api/echo", headers=followed)).status_code == 403


async def test_a_link_to_the_page_may_be_followed() -> None:
    async with inside() as http:
        followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
        assert (await http.get("/", headers=followed)).status_code == 200


async def test_our_own_page_may_post() -> None:
    async with inside() as http:
        origin = str(http.base_url).rstrip("/")
        for headers in ({"origin": origin}, {"sec-fetch-site": "same-origin", "origin": origin}, {}):
            assert (await http.post("/api/echo", headers=headers)).status_code == 200


async def test_a_token_guards_everything_but_the_probes() -> None:
    async with stranger() as http:
        assert (await http.get("/api/echo")).status_code == 401
        assert (await http.get("/api/health")).status_code == 401
        assert (await http.get("/livez")).status_code == 200
        assert (await http.get("/readyz")).status_code == 200
        assert (await http.get("/api/echo", headers=bearer("wrong"))).status_code == 401
        assert (await http.get("/api/echo", headers=bearer(TOKEN))).status_code == 200
        assert (
            await http.get("/api/echo", headers={"host": "chat.example"} | bearer(TOKEN))
        ).status_code == 200


@pytest.mark.parametrize("options", [CHOSEN, MADE])
async def test_a_platform_reaches_its_webhook_and_nothing_beside_it(options: ConsoleOptions) -> None:
    async with stranger(options) as http:
        http.headers["host"] = "chat.example"
        answer = await http.post("/hooks/test", content="update")
        assert (answer.status_code, answer.json()["body"]) == (200, "update")
        assert (await http.get("/hooks/test")).status_code == 405
        for path in ("/hooks/test/", "/hooks/test/..", "/hooks", "//hooks/test", "/api/echo"):
            assert (await http.post(path)).status_code in (401, 421)


async def test_a_person_signs_in_once_and_the_token_stays_out_of_the_browser() -> None:
    async with stranger() as http:
        sent_away = await http.get("/", headers=PAGE)
        assert (sent_away.status_code, sent_away.headers["location"]) == (303, "/signin")
        page = await http.get("/signin", headers=PAGE)
        assert "<script" not in page.text
        answer = await sign_in(http, TOKEN)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert TOKEN not in cookie
        assert (await http.get("/", headers=PAGE)).status_code == 200


async def test_a_wrong_token_is_said_in_the_readers_language() -> None:
    async with stranger() as http:
        assert "not the token" in (await sign_in(http, "wrong")).text
        http.headers["accept-language"] = "zh-CN,zh"
        answer = await sign_in(http, "wrong")
        assert answer.status_code == 401
        assert "令牌不正确" in answer.text


async def test_two_parleys_of_one_machine_leave_each_others_cookies_alone() -> None:
    other = TokenCheck("another-token-than-ours")
    async with stranger() as http:
        await sign_in(http, TOKEN)
        http.cookies.set(other.name, other.cookie)
        assert (await http.get("/api/echo")).status_code == 200
        http.cookies.set(TokenCheck(TOKEN).name, other.cookie)
        assert (await http.get("/api/echo")).status_code == 401


async def test_guessing_ends_after_ten_tries_even_with_the_right_one() -> None:
    async with stranger() as http:
        for _ in range(10):
            assert (await http.get("/api/echo", headers=bearer("wrong"))).status_code == 401
        limited = await http.get("/api/echo", headers=bearer(TOKEN))
        assert limited.status_code == 429
        assert 0 < int(limited.headers["retry-after"]) <= 60
        assert (await sign_in(http, TOKEN)).status_code == 429


async def test_guesses_never_shut_out_who_is_signed_in() -> None:
    async with stranger() as http:
        await sign_in(http, TOKEN)
        for _ in range(12):
            await http.post("/signin", data={"token": "wrong"}, headers={"cookie": ""})
        assert (await http.post("/signin", data={"token": TOKEN})).status_code == 429
        assert (await http.get("/api/echo")).status_code == 200


async def test_a_token_that_nobody_can_guess_is_never_kept_waiting() -> None:
    async with stranger(MADE) as http:
        for _ in range(12):
            assert (await http.get("/api/echo", headers=bearer("wrong"))).status_code == 401
        assert (await http.get("/api/echo", headers=bearer(TOKEN))).status_code == 200


async def test_whoever_signs_out_has_to_sign_in_again() -> None:
    async with stranger() as http:
        await sign_in(http, TOKEN)
        foreign = {"sec-fetch-site": "cross-site"}
        assert (await http.post("/signout", headers=foreign)).status_code == 403
        assert (await http.get("/signout")).status_code == 404
        assert (await http.get("/api/echo")).status_code == 200
        answer = await http.post("/signout")
        assert (answer.status_code, answer.headers["location"]) == (303, "/signin")
        assert (await http.get("/api/echo")).status_code == 401


async def test_the_printed_address_lets_in_and_is_not_kept() -> None:
    async with stranger(MADE) as http:
        answer = await http.get("/", params={"token": TOKEN}, headers=PAGE)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert TOKEN not in answer.headers["set-cookie"]
        assert (await http.get("/", headers=PAGE)).status_code == 200
        stale = await http.get("/", params={"token": "of-an-old-bookmark"}, headers=PAGE)
        assert (stale.status_code, stale.headers["location"]) == (303, "/")


@pytest.mark.parametrize("path", ["/?token=wrong", "/?token=", "/?token=%ff"])
async def test_a_wrong_address_is_told_where_the_right_one_is(path: str) -> None:
    async with stranger(MADE) as http:
        answer = await http.get(path, headers=PAGE)
        assert answer.status_code == 401
        assert "parley address" in answer.text
        assert "set-cookie" not in answer.headers


async def test_the_token_in_an_address_opens_the_page_only() -> None:
    async with stranger(MADE) as http:
        assert (await http.get("/api/echo", params={"token": TOKEN})).status_code == 401
        assert (await http.post("/", params={"token": TOKEN})).status_code == 401
    async with stranger(CHOSEN) as http:
        assert (await http.get("/", params={"token": TOKEN}, headers=PAGE)).headers["location"] == "/signin"


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
async def test_the_page_without_the_token_says_where_to_find_the_address(accept: str) -> None:
    async with stranger(MADE) as http:
        sent = await http.get("/", headers={"accept": accept}, follow_redirects=True)
        assert sent.status_code == 200
        assert "parley address" in sent.text
        assert TOKEN not in sent.text
        chinese = await http.get("/signin", headers={"accept-language": "zh-CN"})
        assert "parley address" in chinese.text
        assert "请打开" in chinese.text
    async with stranger(CHOSEN) as http:
        assert "parley address" not in (await http.get("/signin")).text


async def test_rubbish_at_the_door_is_refused() -> None:
    async with stranger() as http:
        assert (await http.post("/signin", content=b"x" * 10_000)).status_code == 401
        assert (await http.post("/signin", content=b"&".join([b"a=b"] * 40))).status_code == 401
        assert (await http.post("/signin", content=b"token=\xff")).status_code == 401


def test_attempts_lapse_with_time_and_do_not_pile_up() -> None:
    now = [100.0]
    attempts = SigninAttempts(lambda: now[0], most=2, window=60, addresses=3)
    for _ in range(2):
        attempts.failed("a")
    assert attempts.wait("a") == 60
    assert attempts.wait("b") == 0
    now[0] += 60
    assert attempts.wait("a") == 0
    for address in "bcd":
        attempts.failed(address)
        attempts.failed(address)
    attempts.failed("e")
    assert attempts.wait("b") == 0
    assert attempts.wait("d") > 0


@pytest.mark.parametrize("generated", [True, False])
async def test_the_names_that_are_configured_are_answered_and_no_others(generated: bool) -> None:
    options = ConsoleOptions(token=TOKEN, generated=generated, names=("chat.example",))
    async with inside(options) as http:
        for host in ("chat.example", "Chat.Example:443", "localhost:8321"):
            assert (await http.get("/api/echo", headers={"host": host})).status_code == 200
        for host in ("evil.example", "chat.example.evil.example", "chat.example:80@evil.example"):
            answer = await http.get("/api/echo", headers={"host": host})
            assert (answer.status_code, answer.json()["error"]["code"]) == (421, "wrong_host")
            assert "console.names" in answer.json()["error"]["text"]


async def test_our_page_behind_a_proxy_may_post_and_another_sites_may_not() -> None:
    options = ConsoleOptions(token=TOKEN, names=("chat.example",))
    async with inside(options) as http:
        for origin, status in (("https://chat.example", 200), ("https://evil.example", 403)):
            headers = {"host": "chat.example", "origin": origin}
            assert (await http.post("/api/echo", headers=headers)).status_code == status
