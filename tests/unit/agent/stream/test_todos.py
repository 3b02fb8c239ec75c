"""A list of tasks in a graph's state is shown as steps, below the others."""

import pytest

from parley.agent.stream.steps import Steps
from parley.core.model.types import StepStatus


def listed(*tasks):
    return {"todos": [{"content": content, "status": status} for content, status in tasks]}


def told(steps):
    return [(step.title, step.status) for step in steps]


def test_what_writes_the_list_is_no_step_unless_it_fails_or_writes_none():
    steps = Steps("en")
    steps.call("1", "write_todos")
    assert told(steps.shown()) == []
    steps.todos(listed(("Milk", "in_progress"), ("Rest", "pending")))
    steps.result("1", "write_todos", failed=False)
    steps.call("2", "search")
    steps.call("3", "write_todos")
    assert told(steps.shown()) == [
        ("Search", StepStatus.RUNNING),
        ("Milk", StepStatus.RUNNING),
        ("Rest", StepStatus.PENDING),
    ]
    steps.result("3", "write_todos", failed=True)
    assert ("Write todos", StepStatus.FAILED) in told(steps.shown())
    steps.todos(listed(("Milk", "completed")))
    assert told(steps.settled(StepStatus.DONE))[-1] == ("Milk", StepStatus.DONE)


def test_a_tool_of_that_name_that_writes_no_list_is_shown_in_the_end():
    steps = Steps("en")
    steps.call("1", "write_todos")
    steps.result("1", "write_todos", failed=False)
    assert steps.shown() == ()
    assert told(steps.settled(StepStatus.DONE)) == [("Write todos", StepStatus.DONE)]
    assert told(steps.finished()) == [("Write todos", StepStatus.DONE)]


def test_a_list_that_comes_after_the_result_of_what_writes_it_is_shown_alone():
    steps = Steps("en")
    steps.call("1", "write_todos")
    steps.result("1", "write_todos", failed=False)
    assert steps.shown() == ()
    steps.todos(listed(("Milk", "in_progress")))
    assert told(steps.shown()) == [("Milk", StepStatus.RUNNING)]
    assert told(steps.settled(StepStatus.DONE)) == [("Milk", StepStatus.PENDING)]


def test_what_still_runs_in_the_end_was_not_done():
    steps = Steps("en")
    steps.todos(listed(("Milk", "in_progress"), ("Rest", "completed")))
    assert told(steps.settled(StepStatus.DONE)) == [("Milk", StepStatus.PENDING), ("Rest", StepStatus.DONE)]
    assert told(steps.finished()) == [("Rest", StepStatus.DONE)]


@pytest.mark.parametrize("given", [None, "x", 3, {"a": 1}, [None, "x", {"content": 3}, {"content": "x"}]])
def test_what_is_no_list_of_tasks_shows_nothing(given):
    steps = Steps("en")
    steps.todos({"todos": given})
    assert steps.shown() == ()


def test_a_list_is_bounded():
    steps = Steps("en")
    steps.todos(listed(*((str(number), "pending") for number in range(1_000))))
    assert len(steps.shown()) == 30
