"""Being on this machine is no credential: programs are let in by the token that the first start made."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import httpx
import pytest

from benchmarks.kit.free_ports import free_port
from tests.kit.product.process import parley, split, way_in
from tests.kit.product.scene import Scene, begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

_ERASE = {"person": "telegram:4711", "accounts": ["telegram:4711"]}
_CLOSED = (
    ("GET", "/api/chat/hello"),
    ("GET", "/api/chat/conversations"),
    ("GET", "/api/chat/events"),
    ("GET", "/api/memory"),
    ("GET", "/api/memory/export"),
    ("GET", "/api/pairing"),
    ("POST", "/api/pairing"),
    ("GET", "/api/person?person=telegram:4711"),
    ("GET", "/api/person/export?person=telegram:4711"),
    ("POST", "/api/person/erase"),
    ("GET", "/api/health"),
    ("GET", "/metrics"),
    ("GET", "/page/app.js"),
    ("GET", "/page/kit/sentences.js"),
    ("GET", "/api/nothing"),
)


@pytest.mark.parametrize(("method", "path"), _CLOSED)
def test_a_program_of_this_machine_is_turned_away(scene: Scene, method: str, path: str):
    url, _ = split(scene.parley.url)
    with httpx.Client(base_url=url, trust_env=False) as http:
        answer = http.request(method, path, json=_ERASE if method == "POST" else None)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "sign_in"


def test_the_token_is_in_a_file_of_its_owner_and_in_no_log(scene: Scene):
    _, token = split(scene.parley.url)
    file = scene.parley.folder / "data" / "token"
    assert file.read_text().strip() == token
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with httpx.Client(**way_in(scene.parley.url)) as http:
        assert http.get("/", params={"token": token}).status_code == 303
        assert http.get("/api/chat/hello").status_code == 200
    assert token not in scene.parley.log


def test_commands_beside_it_find_the_token_by_themselves(scene: Scene):
    folder = scene.parley.folder
    assert parley(folder, "address").stdout == f"{scene.parley.url}\n"
    assert "You said: Hello door" in parley(folder, "chat", "Hello door").stdout
    assert parley(folder, "pair", "list").returncode == 0
    unknown = parley(folder, "person", "export", "telegram:99", "--to", "nobody.zip")
    assert unknown.returncode == 0, unknown.stderr
    checked = parley(folder, "check")
    assert "(Parley is running at that address already.)" in checked.stdout


def test_before_the_first_start_there_is_no_address(tmp_path: Path):
    told = parley(tmp_path, "address")
    assert told.returncode == 1
    assert "made at the first start" in told.stderr


def test_the_agent_server_has_a_key_from_its_first_start_on(tmp_path: Path):
    process = begin(tmp_path, {}, "agent", "--port", str(free_port()))
    try:
        url = process.wait_until_up()
        process.wait_until_prints("Stop with Ctrl-C")
        key = re.search(r"api_key: (\S+)", process.printed)
        assert key
        assert key[1] == (tmp_path / "data" / "agent-key").read_text().strip()
        with httpx.Client(base_url=url, trust_env=False) as http:
            assert http.get("/ok").status_code == 200
            assert http.post("/threads/search", json={}).status_code == 401
            assert http.post("/threads/search", json={}, headers={"x-api-key": "guess"}).status_code == 403
            assert http.post("/threads/search", json={}, headers={"x-api-key": key[1]}).status_code == 200
    finally:
        end(process)
