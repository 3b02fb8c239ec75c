"""A thumb that was pressed before a kill -9 reaches each service once, and with the real run's id."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import UUID

import pytest

from parley.core.texts import Sentence, say
from tests.kit.machine import patience
from tests.kit.product.process import Config, Process
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]

SERVICES = ("/feedback", "/api/public/scores", "/hook")
DOWN = "the year is wrong"


@dataclass(frozen=True)
class Call:
    """What a service was told, and under which id."""

    path: str
    number: str
    body: dict[str, object]


class Services(ThreadingHTTPServer):
    """LangSmith, Langfuse and a webhook at one address, which is refused until `begin`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler, bind_and_activate=False)
        self.server_bind()
        self.calls: list[Call] = []
        self.news = threading.Condition()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def begin(self) -> None:
        """Answer from now on."""
        self.server_activate()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def told(self, choice: str) -> list[Call]:
        """The calls about this choice."""
        score = {"up": 1, "down": 0}[choice]
        return [call for call in tuple(self.calls) if _score(call.body) == score]

    def wait_for(self, choice: str) -> None:
        """Return once every service was told of this choice."""
        with self.news:
            came = self.news.wait_for(
                lambda: {each.path.partition("?")[0] for each in self.told(choice)} == set(SERVICES),
                patience(60),
            )
        assert came, f"waited in vain for {choice}: {self.calls}"


def _score(body: dict[str, object]) -> object:
    data = body.get("data")
    return data["score"] if isinstance(data, dict) else body.get("score", body.get("value"))


class _Handler(BaseHTTPRequestHandler):
    server: Services

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.news:
            self.server.calls.append(Call(self.path, str(body["id"]), body))
            self.server.news.notify_all()
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        pass


@pytest.fixture
def services() -> Iterator[Services]:
    made = Services()
    try:
        yield made
    finally:
        made.server_close()


@pytest.fixture
def parley(services: Services, tmp_path: Path) -> Iterator[Process]:
    """Parley with the agent inside; its services are away."""
    config: Config = {
        "feedback": {
            "langsmith": {"url": services.url, "api_key": "lsv2_pt_0123456789"},
            "langfuse": {"url": services.url, "public_key": "pk-lf", "secret_key": "sk-lf-0123456789"},
            "webhook": {
                "url": f"{services.url}/hook?token=hunter22hunter22",
                "secret": "0123456789abcdef01234567",
            },
        }
    }
    process = begin(tmp_path, config)
    try:
        process.wait_until_ready()
        yield process
    finally:
        end(process)


@pytest.mark.parametrize("killed", ["once it was pressed", "once it was tried"])
def test_what_was_pressed_before_a_crash_is_told_once(
    parley: Process, services: Services, killed: str
) -> None:
    person = WebPerson(parley.url)
    try:
        turn = person.ask("hello").final["id"]
        person.decide(f"feedback:{turn}", "down", DOWN)
        if killed == "once it was tried":
            _wait_for_line(parley, "; again in 5 s")
        parley.kill()
        services.begin()
        parley.start()
        services.wait_for("down")
        # What would be told twice would be told before this one.
        person.decide(f"feedback:{turn}", "up")
        services.wait_for("up")
        downs, ups = services.told("down"), services.told("up")
        # The page asks why by itself: nobody has to be told of a command.
        assert person.decide(f"feedback:{turn}", "down") == say("en", Sentence.FEEDBACK_NOTED)
    finally:
        person.close()
    assert sorted(each.path.partition("?")[0] for each in downs) == sorted(SERVICES)
    by_path = {each.path.partition("?")[0]: each for each in downs}
    _check(by_path, turn)
    for each in ups:
        same = by_path[each.path.partition("?")[0]].number == each.number
        assert same is (not each.path.startswith("/hook")), "a newer choice replaces the one before"
    assert "hunter22" not in parley.log
    assert DOWN not in parley.log


def _wait_for_line(process: Process, text: str) -> None:
    deadline = time.monotonic() + patience(60)
    while text not in process.log:
        assert time.monotonic() < deadline, process.log[-2000:]
        time.sleep(0.05)


def _check(by_path: dict[str, Call], turn: str) -> None:
    """Each service was told of the same run, and of the words."""
    smith, fuse, hook = (by_path[path].body for path in SERVICES)
    data = hook["data"]
    assert isinstance(data, dict)
    assert (data["turn"], data["comment"]) == (turn, DOWN)
    run = str(UUID(str(data["run_id"])))
    assert smith["run_id"] == run
    assert smith["comment"] == DOWN
    assert fuse["traceId"] == run.replace("-", "")
