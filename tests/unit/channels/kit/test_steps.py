"""The latest steps of an answer."""

from dataclasses import replace

from parley.channels.kit.steps import MOST_STEPS, step_lines
from parley.channels.kit.text import shorten
from parley.core.model.types import Step, StepStatus


def step(number: int, status: StepStatus = StepStatus.DONE) -> Step:
    return Step(str(number), f"step {number}", status)


def test_steps_are_shown_until_there_is_an_answer_and_nothing_runs():
    done, runs = step(1), step(2, StepStatus.RUNNING)
    assert step_lines((), str, answered=False) == []
    assert step_lines((done,), str.upper, answered=False) == ["✓ STEP 1"]
    assert step_lines((done,), str, answered=True) == []
    assert step_lines((done, runs), str, answered=True) == ["✓ step 1", "⏳ step 2"]
    many = [step(number, StepStatus.FAILED) for number in range(MOST_STEPS + 3)]
    assert step_lines(many, str, answered=False) == [f"✗ {each.title}" for each in many[3:]]


def test_a_step_that_runs_says_the_newest_of_its_output():
    runs = Step("1", "Thinking", StepStatus.RUNNING, output="First this.\nThen  that. \n")
    assert step_lines((runs,), str, answered=False) == ["⏳ Thinking · Then that."]
    (line,) = step_lines((replace(runs, output="so many words " * 300),), str, answered=False)
    assert (line[:16], line[-5:]) == ("⏳ Thinking · …wo", "words")
    assert len(line) < 100
    (line,) = step_lines((replace(runs, output="x" * 4_000),), str, answered=False)
    assert line == f"⏳ Thinking · …{'x' * 79}"
    assert step_lines((replace(runs, status=StepStatus.DONE),), str, answered=False) == ["✓ Thinking"]


def test_of_a_long_list_of_tasks_those_around_the_one_that_is_done_now_are_shown():
    def listed(done: int) -> list[Step]:
        states = [StepStatus.DONE] * done + [StepStatus.RUNNING] + [StepStatus.PENDING] * (9 - done)
        return [step(number, state) for number, state in enumerate(states)]

    assert step_lines(listed(0), str, answered=False) == [
        "⏳ step 0",
        *(f"○ step {at}" for at in range(1, 6)),
    ]
    in_the_middle = ["✓ step 2", "✓ step 3", "✓ step 4", "⏳ step 5", "○ step 6", "○ step 7"]
    assert step_lines(listed(5), str, answered=False) == in_the_middle
    assert step_lines(listed(9), str, answered=False)[-1] == "⏳ step 9"
    assert step_lines([step(1, StepStatus.PENDING)], str, answered=True) == []


def test_a_short_text_stays_and_a_long_one_says_that_there_was_more():
    assert shorten("abc", 3) == "abc"
    assert shorten("abcd", 3) == "ab…"
