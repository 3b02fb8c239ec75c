"""Nothing that a person or an operator put anywhere gets into a recording."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.app.live.clean import METHODS, Cleaner, shape
from parley.app.live.recorder import Recorder
from parley.app.live.vocabulary import read_vocabulary
from parley.channels.kit.http.wire_listener import WireExchange
from parley.core.model.types import Json
from tests.live.walks import LIVE, walk

TOKEN = "xoxb-7391048265-S3cr3tPartOfAToken"
PLANTED = (
    TOKEN,
    "Bernadette",
    "Bernadette Kowalczyk",
    "贝尔纳黛特",
    "bernadette@kowalczyk.example",
    "+48 601 234 567",
    "https://kowalczyk.example/secret/plan.docx",
    f"Bearer {TOKEN}",
    json.dumps({"name": "Bernadette", TOKEN: "Kowalczyk"}),
    json.dumps([["Bernadette"], {"deep": json.dumps({"deeper": TOKEN})}]),
)
TRACES = ("ernadette", "owalczyk", "贝尔", "7391048265", "S3cr3t", "601", "plan.docx", "52.22")
NUMBERS = (7391048265, -1007391048265, 52.229676, 7391048265.5)


def leaves_replaced(value, planted, keys=False):
    """The same value with every leaf replaced; with `keys`, and all names of fields too."""
    if isinstance(value, dict):
        return {
            (f"{planted}{number}" if keys else name): leaves_replaced(each, planted, keys)
            for number, (name, each) in enumerate(value.items())
        }
    if isinstance(value, list):
        return [leaves_replaced(each, planted, keys) for each in value]
    return planted


def traces(text):
    return [trace for trace in TRACES if trace in text]


@pytest.fixture(scope="module", params=LIVE)
def recorded(request, tmp_path_factory):
    """What goes over the wire of a platform: every field that its simulator knows."""
    folder = tmp_path_factory.mktemp("walk") / "walk"
    steps = ("message", "mention", "file", "button", "forward")
    return asyncio.run(walk(request.param, folder, steps))


def test_no_field_of_a_platform_lets_anything_through(recorded):
    cleaner = Cleaner(read_vocabulary(recorded.platform))
    parts = [dict(each) for each in recorded.records if each["kind"] in ("call", "frame")]
    assert len(parts) > 10
    for record in parts:
        for part in ("query", "body", "response", "data", "headers"):
            for planted in (*PLANTED, *NUMBERS):
                for keys in (False, True):
                    cleaned = cleaner.clean(leaves_replaced(record.get(part), planted, keys))
                    assert traces(json.dumps(cleaned, ensure_ascii=False)) == [], (part, planted)


@pytest.mark.parametrize("platform", LIVE)
def test_nothing_planted_in_a_request_gets_into_the_file(platform, tmp_path):
    recorder = Recorder(tmp_path / "r.jsonl", platform, (TOKEN,))
    for planted in PLANTED:
        raw = json.dumps({"text": planted, "ok": False, "error": planted, "code": planted}).encode()
        form = f"token={TOKEN}&text=Bernadette".encode()
        upload = (
            b'--b\r\nContent-Disposition: form-data; name="Bernadette"\r\n\r\n'
            + TOKEN.encode()
            + b"\r\n--b\r\n"
            b'Content-Disposition: form-data; name="file"; filename="plan.docx"\r\n\r\nPlan\r\n--b--\r\n'
        )
        for kind, body in (
            ("application/json", raw),
            ("application/x-www-form-urlencoded", form),
            ("multipart/form-data; boundary=b", upload),
            ("text/plain", planted.encode()),
        ):
            headers = {"content-type": kind, "authorization": f"Bearer {TOKEN}", "cookie": TOKEN}
            answered = {"content-type": "text/html", "set-cookie": TOKEN, "retry-after": planted}
            url = f"https://Bernadette:{TOKEN}@kowalczyk.example/bot{TOKEN}/Bernadette/plan.docx?q={planted}"
            recorder.on_exchange(WireExchange("BERNADETTE", url, headers, body, 403, answered, raw))
        recorder.on_frame(raw, inward=True)
        recorder.on_frame(planted, inward=False)
        recorder.on_post(f"/hooks/{planted}", raw)
        recorder.note_heard("message", "message", planted)
    recorder.close()
    text = (tmp_path / "r.jsonl").read_text("utf-8")
    assert traces(text) == []
    assert len(text.splitlines()) > 4 * len(PLANTED)
    assert {name for _, name in recorder.unknown_fields} >= {"Bernadette"}


def test_a_line_with_a_secret_of_the_configuration_is_dropped(tmp_path):
    recorder = Recorder(tmp_path / "r.jsonl", "slack", ("chat.update",))
    recorder.on_exchange(WireExchange("POST", "https://slack.com/api/chat.update", {}, b"", 200, {}, b"{}"))
    recorder.close()
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text("utf-8").splitlines()]
    assert [line["kind"] for line in lines] == ["recording", "dropped"]


def test_what_the_platform_says_itself_stays():
    cleaner = Cleaner(read_vocabulary("slack"))
    said: dict[str, Json] = {
        "ok": False,
        "error": "ratelimited",
        "retry_after": 30,
        "warning": None,
        "type": "message",
    }
    assert cleaner.clean(said) == said
    assert cleaner.clean({"code": 99991672, "error_code": 429}) == {"code": 99991672, "error_code": 429}
    assert cleaner.path("https://x/api/chat.postMessage?token=1") == "/api/chat.postMessage"
    assert "POST" in METHODS


def test_an_id_has_one_placeholder_wherever_it_stands():
    cleaner = Cleaner(read_vocabulary("slack"))
    made: Any = cleaner.clean(
        {"ts": "1512085950.000216", "thread_ts": "1512085950.000216", "user": "U024BE7LH"}
    )
    assert made["ts"] == made["thread_ts"] == "0000000000.000000#1"
    assert made["user"] == "x000xx0xx#2"
    numbered: Any = cleaner.clean([{"id": 7391048265}, {"id": -7391048265}, {"id": 7391048266}])
    assert numbered[0]["id"] == -numbered[1]["id"] != numbered[2]["id"]


@given(st.text())
def test_a_shape_is_as_long_in_every_measure(text):
    made = shape(text)
    assert len(made) == len(text)
    if not any("\ud800" <= sign <= "\udfff" for sign in text):
        assert len(made.encode()) == len(text.encode())
        assert len(made.encode("utf-16-le")) == len(text.encode("utf-16-le"))
    assert shape(made) == made


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(PLANTED),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.sampled_from(PLANTED), inner),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES)
def test_anything_at_all_is_cleaned_and_can_be_written(value):
    cleaned = json.dumps(Cleaner(read_vocabulary("telegram")).clean(value), ensure_ascii=False)
    assert [trace for trace in traces(cleaned) if trace not in ("601", "52.22")] == []
    cleaned.encode()


def test_what_is_nested_too_deeply_ends():
    deep: Json = TOKEN
    for _ in range(200):
        deep = [deep]
    assert json.dumps(Cleaner(read_vocabulary("slack")).clean(deep)).strip("[]") == "null"
