"""Requests, letters and configuration: each is taken, or refused with where it is wrong."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from starlette.requests import Request

import parley.app.settings
from parley.app.cli.clients.dead_letter_client import LetterView, _Page
from parley.app.settings.load import read_settings
from parley.channels.web.api import request_bodies as web
from parley.channels.web.api.http_errors import WebApiError
from parley.console.api import bodies as console
from parley.core.model.errors import ConfigError
from tests.fuzz.strategies import bent, fuzzed, texts, values

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(3_000)]

WEB = {
    "id": "a1",
    "text": "hi",
    "topic": "t",
    "files": ["f1"],
    "language": "en",
    "question": "q",
    "option": "o",
    "title": "t",
    "about": "a",
}
MEMORY = {"content": "tea", "category": "context", "confidence": 1.0}
LETTER = {
    "item": 1,
    "kind": "answer",
    "conversation": "web:a",
    "person": "web:me",
    "name": "n",
    "at": 1.0,
    "reason": "r",
    "items": [1],
    "said": "s",
    "answer": "a",
}
DEFAULT = yaml.safe_load((Path(parley.app.settings.__file__).parent / "default.yaml").read_text("utf-8"))
ENVIRON = {"NAME": "x", "TELEGRAM_BOT_TOKEN": "1:a", "SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}


def request(body, content_type="application/json"):
    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", content_type.encode("latin-1", "replace"))]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive)


BODIES = st.one_of(
    bent([WEB, MEMORY]).map(lambda value: json.dumps(value).encode()),
    values.map(lambda value: json.dumps(value).encode()),
    texts.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=60),
)


@pytest.mark.parametrize("model", [web.NEW_MESSAGE, web.EDIT, web.STOP, web.DECISION, web.TITLE])
@fuzzed()
@given(body=BODIES)
def test_any_body_from_the_page_is_taken_or_refused(model, body):
    async def answered():
        try:
            await web.read_json(request(body), model)
        except WebApiError as refused:
            return refused.response().status_code
        return 200

    assert asyncio.run(answered()) in (200, 413, 415, 422)


@pytest.mark.parametrize("model", [console.NewFactBody, console.FactPatchBody, console.MemorySwitchBody])
@fuzzed()
@given(body=BODIES, kind=st.just("application/json") | texts)
def test_any_body_for_memory_is_taken_or_refused(model, body, kind):
    try:
        asyncio.run(console.read_json(request(body, kind), model))
    except console.RequestRefused as refused:
        json.dumps(refused.answer(), ensure_ascii=False).encode()


@fuzzed()
@given(values | bent([{"letters": [LETTER]}, LETTER]))
def test_any_letter_is_shown_or_none(value):
    for model in (_Page, LetterView):
        with suppress(ValidationError):
            model.model_validate_json(json.dumps(value))


YAML = st.one_of(
    bent([DEFAULT]).map(lambda tree: yaml.safe_dump(tree, allow_unicode=True)),
    bent([DEFAULT]).map(lambda tree: json.dumps(tree, ensure_ascii=False)),
    values.map(json.dumps),
    texts,
    st.builds(lambda key, text: f"{key}: {text}", st.sampled_from(sorted(DEFAULT)), texts),
    st.sampled_from(
        (
            "a: &a [*a]",
            "? [a, b]\n: c",
            "? {a: b}\n: c",
            "!!python/object:os.system x",
            "- " * 2_000,
            "a: !x b",
            "1: 2",
            "~: x",
            "2024-01-01: y",
            "agent: 2024-01-01",
            "{" * 2_000,
            "a: &a {b: 1}\nagent: {<<: *a}",
            "agent: {<<: 1}",
        )
    ),
)


@fuzzed()
@given(YAML)
def test_any_configuration_is_settings_or_mistakes_with_their_place(text):
    try:
        read_settings(text, "config.yaml", ENVIRON, Path("/nowhere"))
    except ConfigError as error:
        lines = str(error).splitlines()
        assert lines
        assert all(line.startswith("config.yaml") for line in lines), lines
