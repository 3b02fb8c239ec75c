"""Answers that a model reads and a model judges, over the protocol of a real client."""

import asyncio
import json

from benchmarks.dialogues.__main__ import main
from tests.kit.doubles.llm_provider import fails, provider, says
from tests.unit.benchmarks.conftest import LOCOMO, longmemeval


async def run(model, path, *more):
    arguments = ["longmemeval", str(path), "--reader", "small", "--url", model.url, *more]
    return await asyncio.to_thread(main, arguments)


def prompts(model):
    return [asked["messages"][-1]["content"] for asked in model.asked]


async def test_the_reader_sees_dated_lines_and_the_judge_both_answers(written, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "key-1")
    out = tmp_path / "out.json"
    async with provider(says("The cello."), says("CORRECT")) as model:
        assert await run(model, written([longmemeval()]), "--judge", "large", "--json", str(out)) == 0
    reading, judging = prompts(model)
    assert "- 2023-05-20: User: My sister plays the cello.\n" in reading
    assert "Today is 2023-05-30.\nQuestion: Which instrument does my sister play?" in reading
    assert "Right answer: the cello\nGiven answer: The cello." in judging
    assert [(asked["model"], asked["seed"], asked["temperature"]) for asked in model.asked] == [
        ("small", 7, 0),
        ("large", 7, 0),
    ]
    assert set(model.keys) == {"Bearer key-1"}
    (table,) = json.loads(out.read_text())
    assert table["rows"][-1][:3] == ["all", "1", "1.000"]
    assert table["details"] == [
        {
            "question": "Which instrument does my sister play?",
            "right": "the cello",
            "given": "The cello.",
            "verdict": "right",
        }
    ]


async def test_the_reader_sees_no_more_than_the_budget(written):
    async with provider(says("-"), says("WRONG")) as model:
        assert await run(model, written([longmemeval()]), "--budget", "18") == 0
    assert "cello" in prompts(model)[0]
    assert "wine" not in prompts(model)[0]


async def test_a_verdict_in_other_words_is_none_and_a_failed_call_is_counted(written, capsys):
    entries = [longmemeval(f"q{n}", question=f"Question {n}?") for n in range(4)]
    answers = (
        says("a"),
        says("**Wrong**."),
        says("b"),
        says("Hard to say"),
        fails(400),
        says("c"),
        says("Correct"),
    )
    async with provider(*answers) as model:
        assert await run(model, written(entries)) == 0
    printed = capsys.readouterr()
    assert printed.out.split("\n")[3].split()[:5] == ["all", "4", "0.250", "1", "1"]
    assert "small at" in printed.err


async def test_a_service_that_refuses_everything_ends_the_run_in_one_line(written, capsys):
    entries = [longmemeval(f"q{n}", question=f"Question {n}?") for n in range(9)]
    async with provider(fails(401, "wrong key")) as model:
        assert await run(model, written(entries)) == 2
    assert len(model.asked) == 3
    assert "wrong key" in capsys.readouterr().err.strip().splitlines()[-1]


async def test_locomo_is_answered_too(written, capsys):
    async with provider(says("behind the barn"), says("CORRECT")) as model:
        arguments = ["locomo", str(written(LOCOMO)), "--reader", "small", "--url", model.url, "--limit", "1"]
        assert await asyncio.to_thread(main, arguments) == 0
    assert "1 questions" in capsys.readouterr().out
