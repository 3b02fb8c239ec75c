"""Recordings that somebody else made, or damaged: bounded, and each mistake named with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.app.live import recording
from parley.app.live.compare import compare
from parley.app.live.recording import Recording, RecordingMistake, read_recording
from parley.app.live.shapes import read_shape
from parley.core.model.types import Json

FIRST = {"kind": "recording", "format": 1, "platform": "slack"}


def written(tmp_path, *lines):
    file = tmp_path / "r.jsonl"
    file.write_bytes(b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines))
    return file


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ([], 1, "this is no recording"),
        ([{"kind": "call", "path": "/x"}], 1, "this is no recording"),
        ([FIRST | {"format": 2}], 1, "of this version"),
        ([FIRST | {"platform": "../../etc"}], 1, "must be one that is simulated"),
        ([FIRST | {"platform": {}}], 1, "must be one that is simulated"),
        ([FIRST, b"no json"], 2, "this is no JSON object"),
        ([FIRST, b"[]"], 2, "this is no JSON object"),
        ([FIRST, b"\xff\x00"], 2, "this is no JSON object"),
        ([FIRST, b"[" * 100_000], 2, "this is no JSON object"),
        ([FIRST, b'{"kind": ' + b"1" * 5000 + b"}"], 2, "this is no JSON object"),
        ([FIRST, {"kind": "call"}], 2, "`path` is missing"),
        ([FIRST, {"kind": []}], 2, "`kind`"),
        ([FIRST, {"kind": "step", "step": "rm"}], 2, "`step`"),
        ([FIRST, {"kind": "heard", "step": "message", "what": "x"}], 2, "`what`"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, lines, place, words):
    file = written(tmp_path, *lines)
    with pytest.raises(RecordingMistake) as raised:
        read_recording(file)
    assert raised.value.user_text.startswith(f"{file}:{place}: ")
    assert words in raised.value.user_text
    assert raised.value.user_text.endswith(("delete the line.", "correct it."))


@pytest.mark.parametrize(
    ("limit", "most", "words"),
    [("MOST_BYTES", 50, "too many"), ("MOST_LINE", 60, "JSON object"), ("MOST_RECORDS", 2, "at most")],
)
def test_a_file_is_bounded(tmp_path, monkeypatch, limit, most, words):
    file = written(tmp_path, FIRST, {"kind": "frame", "data": "x" * 100}, {"kind": "frame"})
    assert len(read_recording(file).records) == 3
    monkeypatch.setattr(recording, limit, most)
    with pytest.raises(RecordingMistake, match=words):
        read_recording(file)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(RecordingMistake, match=r"no\.jsonl: cannot be read: No such file"):
        read_recording(tmp_path / "no.jsonl")
    with pytest.raises(RecordingMistake, match="cannot be read"):
        read_recording(tmp_path)


def test_steps_are_bounded_too(tmp_path):
    heard = {"kind": "heard", "step": "burst", "what": "message", "text": "x" * 50_000}
    file = written(tmp_path, FIRST, *([heard] * 100))
    (step,) = read_recording(file).steps
    assert (step.name, len(step.texts)) == ("burst", 20)
    assert {len(text) for text in step.texts} == {10_000}
    odd = written(tmp_path, FIRST, heard | {"text": {"a": 1}})
    assert read_recording(odd).steps[0].texts == ("{'a': 1}",)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
FIELD = st.sampled_from(
    ["path", "method", "status", "response", "data", "inward", "step", "what", "text", "update_id", "result"]
)
LINE = st.fixed_dictionaries(
    {"kind": st.sampled_from(["step", "heard", "result", "call", "frame", "post", "dropped"]) | ANYTHING}
).flatmap(lambda kind: st.dictionaries(FIELD, ANYTHING | st.just("message")).map(lambda rest: rest | kind))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINE, max_size=6))
def test_whatever_stands_in_a_recording_it_is_compared_or_refused(tmp_path, lines):
    try:
        read = read_recording(written(tmp_path, FIRST, *lines))
    except RecordingMistake:
        return
    assert all(step.texts for step in read.steps)
    found = compare(read_shape(read), read_shape(read))
    assert (found.differences, found.only_one) == ((), ())


def test_an_answer_without_end_takes_a_bounded_place():
    name = "n" * 50_000
    wide: dict[str, Json] = {name: {f"{number}": number for number in range(20_000)}}
    calls: tuple[dict[str, Json], ...] = tuple(
        {"kind": "call", "method": "POST", "path": f"/{number}", "status": 200, "response": wide}
        for number in range(300)
    )
    shape = read_shape(Recording("slack", calls))
    assert len(shape.answers) <= 201
    assert max(len(fields) for fields in shape.answers.values()) <= 2000
    assert max(len(path) for fields in shape.answers.values() for path in fields) < 200
