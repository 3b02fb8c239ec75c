"""The client in one's own process answers what HTTP answers: each call, as the models of the API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter

from parley import Client
from parley.app.openapi.operation import ApiOperation
from parley.app.openapi.operations import OPERATIONS
from parley.client.sync_client import Files, PersonMemory, Threads
from tests.kit.product.process import PATIENCE, split, way_in, write_config
from tests.kit.product.scene import begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

THREAD = "thread-of-the-client"
# Nothing is learned meanwhile, so that what waits for a lesson stays the same.
CONFIG = {
    "memory": {"debounce_seconds": 300, "max_wait": 300},
    "agent": {"models": ["small", "large"]},
    "channels": {"telegram": {"bot_token": "4711:of-nobody", "enabled": True}},
}
FACT = {"content": "Prefers tea", "category": "preference", "confidence": 0.9}
Read = tuple[str, Mapping[str, str], Callable[[Client], object]]

READS: Mapping[str, Read] = {
    "models": ("/api/models", {}, lambda client: client.models()),
    "threads.list": ("/api/chat/conversations", {}, lambda client: client.threads.list()),
    "threads.get": ("/api/chat/conversations/{chat}", {}, lambda client: client.threads.get(THREAD)),
    "threads.history": (
        "/api/chat/conversations/{chat}/messages",
        {},
        lambda client: client.threads.history(THREAD),
    ),
    "files.list": ("/api/chat/conversations/{chat}/files", {}, lambda client: client.files.list(THREAD)),
    "memory.get": ("/api/memory", {}, lambda client: client.memory.get()),
    "memory.config": ("/api/memory/config", {}, lambda client: client.memory.config()),
    "memory.status": ("/api/memory/status", {}, lambda client: client.memory.status()),
    "memory.people": ("/api/memory/people", {}, lambda client: client.memory.people()),
    "memory.search": ("/api/memory/search", {"words": "tea"}, lambda client: client.memory.search("tea")),
    "memory.export": ("/api/memory/export", {}, lambda client: client.memory.export()),
    "memory.export_as": ("/api/memory/export/{shape}", {}, lambda client: client.memory.export_as("mem0")),
    "memory.failed_turns": ("/api/memory/dead-letters", {}, lambda client: client.memory.failed_turns()),
    "memory.told": (
        "/api/memory/told",
        {"conversation": f"web:{THREAD}"},
        lambda client: client.memory.told(THREAD),
    ),
}
Ask = Callable[..., object]
WRITES: Mapping[str, tuple[str, str, object, Callable[[PersonMemory, str], object]]] = {
    "memory.add": ("POST", "/facts", FACT, lambda memory, fact: memory.add(**FACT)),  # type: ignore[arg-type]
    "memory.update": (
        "PATCH",
        "/facts/{fact}",
        {"content": "Prefers coffee"},
        lambda memory, fact: memory.update(fact, content="Prefers coffee"),
    ),
    "memory.undo": ("POST", "/undo", None, lambda memory, fact: memory.undo()),
    "memory.preview_import": (
        "POST",
        "/import/preview",
        {"text": "Has two cats"},
        lambda memory, fact: memory.preview_import("Has two cats"),
    ),
    "memory.add_import": (
        "POST",
        "/import/add",
        {"text": "Has two cats"},
        lambda memory, fact: memory.add_import("Has two cats"),
    ),
    "memory.reload": ("POST", "/reload", None, lambda memory, fact: memory.reload()),
    "memory.forget": ("DELETE", "/facts/{fact}", None, lambda memory, fact: memory.forget(fact)),
    "memory.switch": ("PUT", "/switch", {"on": False}, lambda memory, fact: memory.switch(False)),
    "memory.replace": ("POST", "/import", {"facts": []}, lambda memory, fact: memory.replace({"facts": []})),
    "memory.clear": ("DELETE", "", None, lambda memory, fact: memory.clear()),
}
ELSEWHERE = {
    "chat", "stream", "decide", "memory_of",
    "threads.new", "threads.rename", "threads.stop", "threads.delete",
    "files.upload", "files.discard", "files.read", "memory.retry",
}  # fmt: skip
"""What is not compared here: tests/e2e/client/test_client.py uses it; `retry` is in tests/unit/client."""


def as_json(answer: object) -> object:
    """The answer as it would stand in a response."""
    return json.loads(TypeAdapter[Any](type(answer)).dump_json(answer))


def alike(answers: Mapping[str, object]) -> object:
    """The same without ids, times and persons."""
    text = re.sub(r"fact_[0-9a-f]+", "fact", json.dumps(answers))
    return json.loads(re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z|telegram:\d", "some", text))


def operation(method: str, path: str) -> ApiOperation:
    each = [one for several in OPERATIONS.values() for one in several]
    return next(one for one in each if (one.method, one.path) == (method, path))


def written(memory: PersonMemory) -> Mapping[str, object]:
    answers, fact = dict[str, object](), ""
    for name, (_, _, _, ask) in WRITES.items():
        answers[name] = as_json(ask(memory, fact))
        fact = fact or answers[name]["facts"][0]["id"]  # type: ignore[index]
    return answers


def written_over_http(http: httpx.Client, person: str) -> Mapping[str, object]:
    answers, fact = dict[str, object](), ""
    for name, (method, path, body, _) in WRITES.items():
        url, query = f"/api/memory{path.format(fact=fact)}", {"person": person}
        answer = http.request(method, url, params=query, json=body).raise_for_status()
        model = operation(method, f"/api/memory{path}").gives
        TypeAdapter[Any](model).validate_json(answer.content, extra="forbid")
        answers[name] = answer.json()
        fact = fact or answers[name]["facts"][0]["id"]  # type: ignore[index]
    return answers


def test_each_call_is_compared() -> None:
    parts = {"": Client, "threads.": Threads, "files.": Files, "memory.": PersonMemory}
    calls = {
        prefix + name
        for prefix, kind in parts.items()
        for name, value in vars(kind).items()
        if callable(value) and name[0] != "_"
    }
    assert calls == {*READS, *WRITES, *ELSEWHERE}


def test_it_answers_as_http_does(tmp_path: Path) -> None:
    write_config(tmp_path, CONFIG)
    with Client(tmp_path / "config.yaml") as client:
        client.threads.new("Lunch", THREAD)
        notes = client.files.upload(b"two soups", "notes.txt")
        client.chat("Make a file of this", thread=THREAD, files=[notes], timeout=PATIENCE)
        asked = client.chat("Send an e-mail to ada@example.org about lunch", thread=THREAD, timeout=PATIENCE)
        assert asked.questions
        client.memory.add("Prefers tea")
        wrote = written(client.memory_of("telegram:1"))
        read = {name: as_json(ask(client)) for name, (_, _, ask) in READS.items()}
    parley = begin(tmp_path, {**CONFIG, "channels": {}})
    try:
        parley.wait_until_up()
        url, token = split(parley.url)
        with (
            httpx.Client(**way_in(parley.url), timeout=PATIENCE) as http,
            Client(url=url, token=token) as remote,
        ):
            for name, (path, query, ask) in READS.items():
                answer = http.get(path.format(chat=THREAD, shape="mem0"), params=query).raise_for_status()
                model = operation("GET", path).gives
                TypeAdapter[Any](model).validate_json(answer.content, extra="forbid")
                assert read[name] == answer.json() == as_json(ask(remote)), name
            over_http = written_over_http(http, "telegram:2")
            assert alike(wrote) == alike(over_http) == alike(written(remote.memory_of("telegram:3")))
    finally:
        end(parley)
