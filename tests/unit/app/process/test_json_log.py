"""The log as JSON, the turn on each line, and the newest lines in memory."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator

import pytest

from parley.app.process.json_log import JsonFormatter
from parley.app.process.logs import SecretlessFormatter, configure_logging, mask_pattern
from parley.app.process.recent_lines import LONGEST_LINE, MOST_LINES, RecentLinesHandler, recent_lines
from parley.core.ports.telemetry import NO_TELEMETRY, working_on

TURN = "3f0c9a52d1b84e6f8a7be2d94c5160aa"


def record(text: str, *args: object, error: Exception | None = None) -> logging.LogRecord:
    trouble = (type(error), error, None) if error else None
    return logging.LogRecord("parley.x", logging.WARNING, __file__, 1, text, args, trouble)


def test_a_record_is_one_object_in_one_line() -> None:
    line = JsonFormatter(None).format(record("two\nlines\u2028 of %s", "您", error=ValueError("no\nway")))
    assert line.isascii()
    assert "\n" not in line
    read = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", read.pop("time"))
    assert read == {
        "level": "warning",
        "logger": "parley.x",
        "message": "two\nlines\u2028 of 您",
        "exception": "ValueError: no\nway",
    }


def test_a_secret_is_masked_before_it_is_escaped() -> None:
    secret = 'pass"word\\您'
    said = record("it is %s", secret, error=ValueError(secret))
    said.fields = {"account": f"x{secret}", "seconds": 1.5}
    line = JsonFormatter(mask_pattern(frozenset({secret}))).format(said)
    read = json.loads(line)
    assert (read["message"], read["account"], read["seconds"]) == ("it is ***", "x***", 1.5)
    assert "word" not in line


def test_every_line_of_a_turn_has_its_id_once() -> None:
    text, structured = SecretlessFormatter(frozenset()), JsonFormatter(None)
    with working_on(TURN, NO_TELEMETRY):
        assert text.format(record("refused")).endswith(f": refused [turn {TURN}]")
        assert text.format(record("turn %s: refused", TURN)).count(TURN) == 1
        assert json.loads(structured.format(record("refused")))["turn"] == TURN
    assert TURN not in text.format(record("refused"))
    assert "turn" not in json.loads(structured.format(record("refused")))


@pytest.fixture
def _the_log_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


@pytest.mark.usefixtures("_the_log_as_it_was")
def test_the_newest_lines_are_kept_as_they_were_written(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", frozenset({"s3cret-s3cret"}), "json")
    log = logging.getLogger("parley.test")
    for number in range(MOST_LINES + 10):
        log.info("line %d with s3cret-s3cret", number)
    kept = recent_lines()
    assert len(kept) == MOST_LINES
    assert json.loads(kept[0])["message"] == "line 10 with ***"
    assert capsys.readouterr().err.splitlines()[10] == kept[0]
    assert [json.loads(line)["message"] for line in recent_lines(2)] == [
        f"line {MOST_LINES + 8} with ***",
        f"line {MOST_LINES + 9} with ***",
    ]
    assert len(recent_lines(5, f"line {MOST_LINES} ")) == 1
    assert recent_lines(0) == []


def test_no_line_takes_all_the_memory() -> None:
    handler = RecentLinesHandler(io.StringIO())
    handler.handle(record("x" * 1_000_000))
    assert [len(line) for line in handler.lines] == [LONGEST_LINE]
