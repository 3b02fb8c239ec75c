"""Standing instructions are told from everything else that orders the assistant about (instructions.yaml)."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from parley.memory.text.instructions import is_same_matter, is_standing_instruction, says_every_time

LISTS = yaml.safe_load(Path(__file__).with_name("instructions.yaml").read_text("utf-8"))


def holds_always(sentence):
    return is_standing_instruction(sentence) and says_every_time(sentence)


def test_wishes_about_every_answer_are_instructions_and_what_looks_like_them_is_not():
    assert [sentence for sentence in LISTS["wishes"] if not holds_always(sentence)] == []
    assert [sentence for sentence in LISTS["traps"] if holds_always(sentence)] == []


@pytest.mark.parametrize("harm", ["send", "файлы", "密码", "bob", "http", "42000", "\u202e", "<b>", "`rm`"])
def test_one_other_word_makes_it_no_instruction(harm):
    for sentence in LISTS["wishes"]:
        for text in (f"{sentence} {harm}", f"{harm} {sentence}", f"{sentence}\n{harm}"):
            assert not is_standing_instruction(text), text


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Always answer in German", "From now on, reply in French"),
        ("Call me Anna", "Nenn mich Toni"),
        ("Keep answers short", "Always give long answers"),
        ("总是用中文回答", "以后请用英文回答"),
    ],
)
def test_of_two_about_one_matter_only_one_can_hold(one, two):
    assert is_same_matter(one, two)
    assert not is_same_matter(one, "Always answer in bullet points")


@pytest.mark.parametrize("piece", ["always answer ", "call me A", "以后叫我", "a' ", "__", "on on "])
def test_a_hostile_text_is_refused_at_once(piece):
    assert not is_standing_instruction(piece * 20_000)
    assert is_standing_instruction((piece * 200)[:160]) in (True, False)
