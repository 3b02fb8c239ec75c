"""An agent server's refusal in words: the sentence in its answer, and nothing else of it."""

from __future__ import annotations

import json

import httpx
import pytest

from parley.agent.transport.refusal_words import refusal_words

_DEERFLOW = {
    "detail": {
        "error": "unsupported_run_option",
        "message": "'stream_resumable' is not supported by DeerFlow",
        "option": "stream_resumable",
    }
}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"detail": "Not authenticated"}, "Not authenticated"),
        ({"error": {"message": "Your plan has no such model."}}, "Your plan has no such model."),
        ({"code": "forbidden", "message": "Not yours."}, "Not yours."),
        (_DEERFLOW, "'stream_resumable' is not supported by DeerFlow"),
        (
            {"detail": [{"type": "missing", "loc": ["body", "assistant_id"], "msg": "Field required"}]},
            "assistant_id: Field required",
        ),
        (
            {"detail": [{"loc": ["body", "items", 3], "msg": "bad"}, {"loc": ["query"], "msg": "worse"}]},
            "items.3: bad; query: worse",
        ),
        ("Forbidden", "Forbidden"),
        ({"detail": None}, ""),
        ({"code": 7}, ""),
        ([], ""),
    ],
)
def test_the_sentence_of_an_answer_is_found(answer: object, words: str) -> None:
    assert refusal_words(httpx.Response(422, json=answer)) == words


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"Method\nnot allowed\n", "Method not allowed"),
        (b"<html><body>403 Forbidden</body></html>", ""),
        (b'{"detail": "cut he', ""),
        (b"", ""),
        (b"[" * 5_000, ""),
        ("拒绝访问".encode(), "拒绝访问"),
    ],
)
def test_an_answer_that_is_no_json_is_read_where_it_is_words(body: bytes, words: str) -> None:
    assert refusal_words(httpx.Response(403, content=body)) == words


def test_words_are_cleaned_and_cut() -> None:
    said = refusal_words(
        httpx.Response(403, content=json.dumps({"detail": "a\x1b[31m\u202eb\n\nc " + "x" * 9_000}))
    )
    assert said.startswith("a[31mb c xxx")
    assert said.endswith("…")
    assert len(said) == 200


def test_an_answer_that_was_not_read_has_no_words() -> None:
    assert refusal_words(httpx.Response(403, stream=httpx.ByteStream(b"no"))) == ""
