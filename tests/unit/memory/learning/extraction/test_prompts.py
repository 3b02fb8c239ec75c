"""Prompts are files that an operator may replace, and a mistake in one is said at the start."""

import pytest

from parley.core.model.errors import ConfigError
from parley.memory.learning.extraction.prompts import DEFAULT_FOLDER, load_prompts
from parley.memory.learning.extraction.signals import FeedbackSignal
from parley.memory.model.vocabulary import MemoryVocabulary

PLACES = ("now", "person", "language", "summaries", "facts", "turns", "hints")
VALUES = dict.fromkeys(PLACES, "x")


def test_our_own_prompts_are_whole():
    prompts = load_prompts()
    assert "newFacts" in prompts.rules
    assert "{{" not in prompts.render_turns(VALUES)


def test_a_value_that_looks_like_a_place_is_left_alone():
    about = load_prompts().render_turns(
        {**VALUES, "turns": "User: what is {{facts}}? {{unknown}}", "facts": "SECRET"}
    )
    assert "what is {{facts}}? {{unknown}}" in about
    assert about.count("SECRET") == 1


def test_a_folder_replaces_the_files_that_it_has(tmp_path):
    (tmp_path / "rules.md").write_text("---\nprompt: rules\nversion: 2\n---\nJust newFacts.\n")
    prompts = load_prompts(tmp_path)
    assert prompts.rules == "Just newFacts."
    assert prompts.turns == load_prompts().turns


@pytest.mark.parametrize("place", PLACES)
def test_a_missing_place_is_named_with_its_file(tmp_path, place):
    text = (DEFAULT_FOLDER / "turns.md").read_text("utf-8")
    (tmp_path / "turns.md").write_text(text.replace(f"{{{{{place}}}}}", ""), "utf-8")
    with pytest.raises(ConfigError, match=rf"{tmp_path}/turns.md: {{{{{place}}}}} is missing; write it"):
        load_prompts(tmp_path)


BROKEN = {
    ("rules.md", "---\nversion: 2\n---\n{{facts}}"): r"{{facts}} is unknown here; remove it",
    (
        "rules.md",
        "No head.",
    ): "does not say its version, and this Parley needs 2; begin with its memory/prompts",
    ("rules.md", "---\nversion: 1\n---\nx"): "is for version 1, and this Parley needs 2",
    ("rules.md", b"\xff\xfe"): "cannot be read as UTF-8 text",
    ("signals.yaml", "version: 9"): "is for version 9",
    ("signals.yaml", "version: 1\ncorrection: {hint: x, patterns: ['(']}"): "cannot be read",
    ("signals.yaml", "- a list"): "cannot be read",
    ("signals.yaml", "a: b: c"): "cannot be read",
}


@pytest.mark.parametrize(
    "broken", BROKEN, ids=[f"{name} {number}" for number, (name, _) in enumerate(BROKEN)]
)
def test_a_prompt_that_cannot_work_is_said_with_its_file_and_the_remedy(tmp_path, broken):
    name, text = broken
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError, match=BROKEN[broken]) as raised:
        load_prompts(tmp_path)
    assert str(tmp_path / name) in str(raised.value)
    assert "\n" not in str(raised.value).replace("\n ", " ") or name == "signals.yaml"


OWN = MemoryVocabulary(
    {"person": "who they are", "project": "{{facts}}"}, {"allergies": "no nuts", "recentMonths": ""}
)


def test_the_rules_name_the_categories_and_topics_of_the_operator():
    rules = load_prompts(None, OWN).rules
    assert "one of `person` (who they are); `project` ({{facts}})." in rules
    assert "`allergies` (no nuts); `recentMonths`." in rules
    example = '{"user": {"allergies": {"shouldUpdate": false, "summary": ""}}, "history": {"recentMonths":'
    assert example in rules
    assert not [name for name in ("workContext", "knowledge", "topOfMind") if name in rules]


@pytest.mark.parametrize("place", ["categories", "topics"])
def test_own_rules_need_a_place_for_own_names_and_for_the_usual_ones_none(tmp_path, place):
    named = {
        "categories": MemoryVocabulary(categories=OWN.categories),
        "topics": MemoryVocabulary(topics=OWN.topics),
    }
    (tmp_path / "rules.md").write_text("---\nversion: 2\n---\nJust newFacts.\n")
    assert load_prompts(tmp_path).rules == "Just newFacts."
    with pytest.raises(ConfigError, match=rf"rules.md: {{{{{place}}}}} is missing, and memory.{place} names"):
        load_prompts(tmp_path, named[place])
    (tmp_path / "rules.md").write_text(f"---\nversion: 2\n---\n{{{{{place}}}}}\n")
    assert load_prompts(tmp_path, named[place]).rules.startswith(("`person`", "`allergies`"))


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(ConfigError, match=r"memory.prompts_dir: .* is not a folder"):
        load_prompts(tmp_path / "none")


CORRECTIONS = [
    "No, I meant Tuesday",
    "That's wrong, it is blue",
    "you misunderstood me",
    "不对，是周二",
    "你理解错了",
    "That's not what I asked",
    "我刚才说过了",
    "I already told you that",
]
PRAISE = [
    "Perfect!",
    "That's exactly what I wanted",
    "keep it up",
    "就是这样",
    "以后都这样",
    "I love how you did that",
]
NEITHER = ["I'm not sure yet", "I am going to lunch", "please redo the chart", "What's wrong with my car?",
           "that's not bad", "明天去上海", "不知道对不对", "Is this perfectly legal?", ""]  # fmt: skip


@pytest.mark.parametrize("text", CORRECTIONS)
def test_corrections_are_noticed(text):
    assert load_prompts().signals.detect(text) is FeedbackSignal.CORRECTION


@pytest.mark.parametrize("text", PRAISE)
def test_reinforcement_is_noticed(text):
    assert load_prompts().signals.detect(text) is FeedbackSignal.REINFORCEMENT


@pytest.mark.parametrize("text", NEITHER)
def test_ordinary_words_are_no_signal(text):
    assert load_prompts().signals.detect(text) is None


def test_a_correction_is_never_also_praise():
    assert load_prompts().signals.detect("That's wrong. Perfect, keep it up") is FeedbackSignal.CORRECTION


def test_hints_name_the_turns():
    said = load_prompts().signals.hints_for(["hello", "No, I meant Tuesday", "perfect", "不对，是周二"])
    first, second = said.splitlines()
    assert "T2, T4" in first
    assert "correct the assistant" in first
    assert "T3" in second
    assert load_prompts().signals.hints_for(["hello"]) == ""
