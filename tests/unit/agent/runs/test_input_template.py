"""Graphs that take no messages get the person's words where they want them."""

from __future__ import annotations

from parley.agent.runs.input_template import fill_input, input_template, takes_pictures
from parley.agent.stream.graph_shape import GraphShape
from parley.core.model.address import RunIdentity, User
from parley.core.model.types import Json
from tests.kit.samples.langgraph_messages import human, request

FILE: Json = {"type": "text", "text": "<file>x</file>"}


def filled(template: dict[str, Json], text: str = "why?", files: tuple[Json, ...] = ()) -> dict[str, Json]:
    asked = request(text, person=User("web", "u1", "Ada"), memory="likes tea", earlier="[before]")
    return fill_input(template, asked, files, [human(text)])


def test_places_are_filled_wherever_they_stand() -> None:
    template: dict[str, Json] = {
        "question": "{text}",
        "more": {
            "by": "{name} ({account} on {platform})",
            "list": ["{memory} {earlier}", 7, None, "{other}"],
        },
        "messages": "{messages}",
    }
    assert filled(template) == {
        "question": "why?",
        "more": {"by": "Ada (u1 on web)", "list": ["likes tea [before]", 7, None, "{other}"]},
        "messages": [human("why?")],
    }


def test_the_platform_is_that_of_an_app_of_another_name() -> None:
    where = RunIdentity("p1", "support:u1", "slack", "support", "C1", "m1")
    asked = request("why?", person=User("support", "u1", "Ada"), identity=where)
    assert fill_input({"q": "{platform}"}, asked, (), []) == {"q": "slack"}


def test_what_a_person_writes_is_not_read_again() -> None:
    assert filled({"q": "{text}!"}, "{account} {messages} \\1")["q"] == "{account} {messages} \\1!"
    assert filled({"q": "{text}"}, "{files}")["q"] == "{files}"


def test_files_are_text_within_words_and_blocks_on_their_own() -> None:
    assert filled({"q": "{text}{files}", "f": "{files}"}, files=(FILE,)) == {
        "q": "why?\n\n<file>x</file>",
        "f": [FILE],
    }


def test_a_plain_graph_gets_its_one_field_and_settings_win() -> None:
    assert input_template({}, GraphShape("topic")) == {"topic": "{text}{files}"}
    assert input_template({"q": "{text}"}, GraphShape("topic")) == {"q": "{text}"}
    assert filled({}) == {"messages": [human("why?")]}


def test_pictures_need_a_place_for_blocks() -> None:
    assert takes_pictures({})
    assert takes_pictures({"a": [{"b": "{files}"}]})
    assert takes_pictures({"messages": "{messages}"})
    assert not takes_pictures({"q": "{text}{files}"})
