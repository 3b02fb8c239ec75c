"""Parley on a Telegram that others wrote: MockPost, with a webhook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.kit.free_ports import free_port
from tests.kit.machine import patience
from tests.kit.product.scene import begin, end
from tests.vendors.node_bot import SDKS

pytestmark = pytest.mark.vendors

_TOKEN = "123456:" + "A" * 35
_SECRET = "a-secret-of-this-test"
_CHAT, _GROUP = 4711, -4711


@dataclass(frozen=True)
class MockPost:
    """The server, as people and the test see it."""

    http: httpx.Client

    def say(self, chat: int, text: str) -> None:
        """Say something: the server posts it to the webhook, and tells whether that took it."""
        message = {"chat_id": chat, "text": text}
        headers = {"X-MockPost-App": "parley"}
        said = self.http.post("/telegram/client/sendMessage", json=message, headers=headers)
        (delivered,) = said.raise_for_status().json()["webhooks_delivered"]
        assert delivered["response_code"] == 200, delivered

    def messages(self, chat: int) -> list[str]:
        """Return what the bot first wrote in each message to a chat."""
        return [each["body"] for each in self._written(chat) if not _is_edit(each)]

    def versions(self, chat: int) -> list[str]:
        """Return all that the bot wrote to a chat: an answer that takes long is edited as it grows."""
        return [each["body"] for each in self._written(chat)]

    def _written(self, chat: int) -> list[dict[str, Any]]:
        listed = self.http.get("/api/messages", params={"channel": "telegram", "limit": 500}).json()
        return [each for each in listed if each["direction"] == "outbound" and each["recipient"] == str(chat)]


def _is_edit(written: dict[str, Any]) -> bool:
    return "message_id" in json.loads(written["raw_payload"])


def until(holds: Callable[[], object], what: str) -> None:
    """Return once a condition holds. Raises AssertionError."""
    deadline = time.monotonic() + patience(60.0)
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def serves(http: httpx.Client) -> bool:
    try:
        return http.get("/api/apps").status_code == 200
    except httpx.TransportError:
        return False


def has_webhook(http: httpx.Client) -> bool:
    return bool(http.get(f"/telegram/bot{_TOKEN}/getWebhookInfo").json()["result"]["url"])


@pytest.fixture
def mockpost(tmp_path: Path) -> Iterator[MockPost]:
    port, ours = free_port(), free_port()
    script = str(Path(__file__).with_name("mockpost_server.py"))
    there = f"http://127.0.0.1:{port}"
    variables = {**os.environ, "PYTHONPATH": str(SDKS / "python"), "MOCKPOST_DB_PATH": str(tmp_path / "m.db")}
    server = subprocess.Popen(
        [sys.executable, script, str(port), f"http://127.0.0.1:{ours}", _SECRET], env=variables
    )
    try:
        with httpx.Client(base_url=there, trust_env=False) as http:
            until(partial(serves, http), "MockPost does not serve")
            http.post("/api/apps", json={"name": "parley", "creds": {"telegram_token": _TOKEN}})
            telegram = {
                "bot_token": _TOKEN,
                "api_url": f"{there}/telegram",
                "webhook_url": f"{there}/hooks/telegram",
                "webhook_secret": _SECRET,
                "allowed_users": ["*"],
                "burst_window": 0,
            }
            (tmp_path / "parley").mkdir()
            config = {"console": {"port": ours}, "channels": {"telegram": telegram}}
            parley = begin(tmp_path / "parley", config)
            try:
                parley.wait_until_up()
                until(partial(has_webhook, http), "Parley set no webhook")
                yield MockPost(http)
            finally:
                end(parley)
    finally:
        server.kill()
        server.wait()


def test_what_is_posted_is_answered_once(mockpost: MockPost):
    said = {"hello": "hello", "你好 👩‍👩‍👧": "你好 👩‍👩‍👧", "a < b & c": "a < b & c", "/help": "/stop"}
    for text, expected in said.items():
        mockpost.say(_CHAT, text)
        until(partial(is_answered, mockpost, expected), f"no answer to {text}")
    assert len(mockpost.messages(_CHAT)) == len(said), mockpost.versions(_CHAT)


def test_talk_in_a_group_is_taken_and_not_answered(mockpost: MockPost):
    mockpost.say(_GROUP, "lunch, anybody?")
    mockpost.say(_CHAT, "hello")
    until(partial(is_answered, mockpost, "hello"), "no answer to hello")
    assert mockpost.versions(_GROUP) == []


def is_answered(mockpost: MockPost, expected: str) -> bool:
    """Whether an answer is there as a whole: one that grows ends in an ellipsis."""
    return any(expected in each and not each.endswith("…") for each in mockpost.versions(_CHAT))


def test_a_long_answer_comes_in_messages_that_telegram_takes(mockpost: MockPost):
    mockpost.say(_CHAT, "word " * 1_500)
    until(lambda: len(mockpost.messages(_CHAT)) >= 2, "a long answer was not divided")
    assert all(len(each.encode("utf-16-le")) // 2 <= 4096 for each in mockpost.versions(_CHAT))
