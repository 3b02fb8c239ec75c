"""A Parley in one's own program: answers, events, questions and files; beside a running one; and its end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley import AsyncClient, Client, ClientError
from parley.client.events import (
    MessageStored,
    QuestionAsked,
    ReplyFinished,
    StepShown,
    TextAdded,
)
from parley.client.threads import thread_path
from parley.core.model.errors import ConfigError
from tests.kit.product.process import PATIENCE, environment, split, write_config
from tests.kit.product.scene import begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

MAIL = "Send an e-mail to ada@example.org about lunch"
DIES = """
import os, parley
from parley.client.events import MessageStored
with parley.Client("config.yaml") as client:
    for event in client.stream("What time is it?", thread="thread-of-a-crash"):
        assert isinstance(event, MessageStored)
        os._exit(9)
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    write_config(tmp_path, {})
    return tmp_path / "config.yaml"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("parley")
    write_config(folder, {})
    with Client(folder / "config.yaml") as client:
        yield client


def test_a_reply_comes_as_events(client: Client) -> None:
    events = list(client.stream("What time is it?"))
    kinds = [type(each) for each in events]
    assert (kinds[0], kinds[-1]) == (MessageStored, ReplyFinished)
    assert {StepShown, TextAdded} <= set(kinds)
    shown = "".join(each.text for each in events if isinstance(each, TextAdded))
    (entry,) = [each.entry for each in events if isinstance(each, ReplyFinished)]
    assert shown == entry.text
    assert isinstance(events[0], MessageStored)
    assert client.threads.history(events[0].thread).entries[-1] == entry


def test_a_question_is_decided_once(client: Client) -> None:
    asked = client.chat(MAIL, timeout=PATIENCE)
    (question,) = asked.questions
    assert question.action == "send_email"
    assert client.threads.get(asked.thread).waiting
    with pytest.raises(ValueError, match="1 questions are open, not 0"):
        client.decide(asked)
    assert "nothing was sent" in client.decide(asked, "Approve send_email", timeout=PATIENCE).text
    with pytest.raises(ClientError) as refused:
        client.decide(asked, "reject")
    assert (refused.value.status, refused.value.code) == (409, "not_decided")
    again = client.chat(MAIL, thread=asked.thread, timeout=PATIENCE)
    assert "nothing was sent" in client.chat("no", thread=again.thread, timeout=PATIENCE).text


def test_files_go_both_ways_and_threads_go(client: Client, tmp_path: Path) -> None:
    (tmp_path / "soups.txt").write_text("two soups")
    kept, dropped = client.files.upload(b"no soup", "none.txt"), client.files.upload(b"more", "more.txt")
    client.files.discard(dropped)
    thread = client.threads.new("Lunch").id
    answer = client.chat("Make a file of this", thread=thread, files=[kept, tmp_path / "soups.txt"])
    (made,) = answer.files
    assert b"Make a file of this" in client.files.read(made)
    files = [(each.role, each.file.name) for each in client.files.list(thread).files]
    assert files == [("agent", made.name), ("user", "none.txt"), ("user", "soups.txt")]
    assert client.threads.rename(thread, "Soups").title == "Soups"
    client.threads.delete(thread)
    for gone in (lambda: client.threads.get(thread), lambda: client.files.read(made)):
        with pytest.raises(ClientError) as refused:
            gone()
        assert refused.value.status == 404


def test_a_reply_is_stopped(client: Client) -> None:
    stopped, last = False, ""
    for event in client.stream("Count to 200 slowly", thread="thread-to-stop"):
        if isinstance(event, TextAdded) and not stopped:
            client.threads.stop("thread-to-stop")
            stopped = True
        last = event.entry.text if isinstance(event, ReplyFinished) else ""
    assert last.endswith("Stopped.")


async def test_who_waits_is_told_that_no_answer_will_come(config: Path) -> None:
    async with AsyncClient(config) as client:
        with pytest.raises(ClientError, match="deleted") as refused:
            await asyncio.wait_for(_delete_meanwhile(client, "thread-to-delete"), PATIENCE)
        assert (refused.value.status, refused.value.code) == (404, "unknown")
        with pytest.raises(ClientError, match="taken back") as refused:
            await asyncio.wait_for(_withdraw_second(client, "thread-to-withdraw"), PATIENCE)
        assert (refused.value.status, refused.value.code) == (409, "withdrawn")


async def _delete_meanwhile(client: AsyncClient, thread: str) -> None:
    """Wait for an answer in a thread that is deleted while it is written."""
    async for event in client.stream("Count to 300 slowly", thread=thread):
        if isinstance(event, TextAdded):
            await client.threads.delete(thread)


async def _withdraw_second(client: AsyncClient, thread: str) -> None:
    """Wait for the answer to a message that is taken back while it waits behind another."""
    async for event in client.stream("Count to 300 slowly", thread=thread):
        if isinstance(event, TextAdded):
            break
    async for event in client.stream("more", thread=thread):
        assert isinstance(event, MessageStored)
        path = thread_path(thread, "messages", event.message)
        await client._connection.send("DELETE", path)


def test_given_settings_and_their_mistakes(tmp_path: Path) -> None:
    with Client(settings={"data_dir": str(tmp_path / "data"), "memory": {"enabled": False}}) as client:
        assert client.chat("hello").text.endswith("You said: hello")
        assert client.memory.config()["enabled"] is False
    with (
        pytest.raises(ConfigError, match=r"^settings: memory\.max_facts: must be a whole number"),
        Client(settings={"memory": {"max_facts": "many"}}),
    ):
        pass


async def test_many_at_once_in_one_loop(config: Path) -> None:
    async with AsyncClient(config) as client:
        said = [f"number {number}" for number in range(20)]
        answers = await asyncio.gather(*(client.chat(each, timeout=PATIENCE) for each in said))
        assert [each.text.rpartition(": ")[2] for each in answers] == said
        kinds = [type(event) async for event in client.stream(MAIL)]
        assert kinds[-2:] == [QuestionAsked, ReplyFinished]


def test_beside_a_running_parley_it_names_the_way_to_that(tmp_path: Path) -> None:
    parley = begin(tmp_path, {})
    try:
        parley.wait_until_up()
        url, token = split(parley.url)
        with pytest.raises(ClientError) as refused, Client(tmp_path / "config.yaml"):
            pass
        assert refused.value.code == "in_use"
        assert f'parley.Client(url="{url}"' in refused.value.user_text
        assert "\n" not in refused.value.user_text
        assert token not in refused.value.user_text
        with Client(url=url, token=token) as client:
            assert client.chat("hello").text.endswith("You said: hello")
    finally:
        end(parley)


def test_a_program_that_dies_loses_no_message(config: Path) -> None:
    died = subprocess.run(
        [sys.executable, "-c", DIES], cwd=config.parent, env=environment(), timeout=PATIENCE, check=False
    )
    assert died.returncode == 9
    with Client(config) as client:
        deadline = time.monotonic() + PATIENCE
        while (last := client.threads.history("thread-of-a-crash").entries[-1]).role != "agent":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert "It is" in last.text
