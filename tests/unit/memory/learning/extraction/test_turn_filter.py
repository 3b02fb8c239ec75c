"""What is learned from: the person's own words and the final replies, and nothing that machines put there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from parley.core.texts import Sentence, say
from parley.memory.learning.extraction.turn_filter import MOST_REPLY, MOST_SAID, select_learnable
from parley.memory.options import Groups
from tests.kit.samples.memories import turn


def said(*turns, **options):
    return [each.said for each in select_learnable("ann", turns, **options).turns]


def test_a_turn_keeps_its_speaker_its_time_its_language_and_its_privacy():
    (one,) = select_learnable("ann", [turn(1, "我喜欢茶", "好的。", language="zh-CN", private=False)]).turns
    assert (one.speaker, one.language, one.private, one.thread) == ("Ann", "zh-CN", False, "t1")
    assert one.at == "2026-05-28T20:27:40.000000Z"
    assert (one.said, one.reply) == ("我喜欢茶", "好的。")


def test_only_the_speakers_own_turns_are_learned_from():
    turns = [turn(1, "I live in Rome"), turn(2, "I live in Oslo", person="bob")]
    assert said(*turns) == ["I live in Rome"]


def test_turns_come_in_the_order_in_which_they_were_said():
    assert said(turn(2, "second"), turn(1, "first")) == ["first", "second"]


def test_in_groups_nothing_is_learned_when_they_are_off():
    turns = [turn(1, "in private"), turn(2, "aloud", private=False)]
    assert said(*turns, groups=Groups.OFF) == ["in private"]
    assert said(*turns, groups=Groups.SEPARATE) == ["in private", "aloud"]


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "OK!!",
        "Ｏｋ",
        "thanks a lot :)",
        "👍",
        "好的，谢谢！",
        "嗯嗯",
        "好的好的",
        "收到。",
        "Got it, thanks!",
        "no",
        "謝謝",
        "Danke schön!",
        "merci beaucoup",
        "¡Muchas gracias!",
        "Muito obrigado :)",
        "Grazie mille",
        "Спасибо большое!",
        "ありがとうございます！",
        "감사합니다.",
        "Dank je wel",
        "Dziękuję",
        "cảm ơn",
        "ขอบคุณครับ",
        "❤️ धन्यवाद",
    ],
)
def test_an_acknowledgement_is_dropped_with_its_reply(text):
    assert not select_learnable("ann", [turn(1, text, "You said that you live in Rome.")])


@pytest.mark.parametrize(
    "text",
    [
        "ok, I moved to Rome",
        "no, I live in Rome",
        "好的，我下周去上海",
        "okra",
        "yesterday",
        "C++",
        "Danke, ich wohne in Ulm",
        "йога",
        "네덜란드",
        "がっこう",
        "merci Paul",
    ],
)
def test_what_says_more_than_an_acknowledgement_is_kept(text):
    assert said(turn(1, text)) == [text]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Shall I remember that you are vegan?", "yes"),
        ("You live in Rome, right?", "no"),
        ("Noted. Do you still work at Acme? Just say so.", "Yep!"),
        ("需要我记住您对花生过敏吗？", "对"),
        ("您是不是下周去上海？", "是的"),
    ],
)
def test_a_yes_or_no_is_kept_with_the_question_it_answers(question, answer):
    (_, one) = select_learnable("ann", [turn(1, "Hello, I am Ann", question), turn(2, answer)]).turns
    assert one.said == answer
    assert one.question
    assert one.question in question


def test_the_question_may_be_of_a_turn_that_was_learned_from_before():
    earlier = [turn(1, "I am vegan", "Shall I remember that?")]
    (one,) = select_learnable("ann", [turn(2, "yes")], earlier=earlier).turns
    assert one.question == "Shall I remember that?"


def test_an_open_question_gives_an_acknowledgement_no_meaning():
    turns = [turn(1, "Hello, I am Ann", "Where do you live?"), turn(2, "ok")]
    assert said(*turns) == ["Hello, I am Ann"]


_WORDS = yaml.safe_load(Path(__file__).with_name("impersonal.yaml").read_text("utf-8"))


@pytest.mark.parametrize("language", _WORDS)
def test_turns_in_which_nothing_personal_is_said_teach_nothing(language):
    assert said(*(turn(at, each) for at, each in enumerate(_WORDS[language]["impersonal"]))) == []


@pytest.mark.parametrize("language", _WORDS)
def test_turns_that_may_say_something_personal_are_kept(language):
    kept = _WORDS[language]["personal"]
    assert [each for each in kept if said(turn(1, each)) != [each]] == []


def test_a_question_is_kept_before_what_refers_to_it():
    asked = [
        turn(at, f"What is the capital of {place}?") for at, place in enumerate(("Peru", "Chad", "Fiji"))
    ]
    there = turn(3, "I live there")
    elsewhere = turn(4, "What is the capital of Oman?", thread="t2")
    assert said(*asked, there, elsewhere) == ["What is the capital of Fiji?", "I live there"]


def test_a_question_on_another_thread_gives_an_acknowledgement_no_meaning():
    turns = [turn(1, "I am vegan", "Shall I remember that?", thread="t1"), turn(2, "yes", thread="t2")]
    assert said(*turns) == ["I am vegan"]


@pytest.mark.parametrize(
    "block",
    [
        "<uploaded_files>\n- a.pdf (1 MB)\n  Path: /mnt/user-data/uploads/a.pdf\n</uploaded_files>",
        "<Current_Uploads>- a.pdf</Current_Uploads>",
        "<uploaded_files>\n- never closed",
        '<file name="a.txt" type="text/plain">\nsecret plans\n</file>',
        '<file name="a.txt" type="text/plain">\nnever closed',
        '[Attached file "a.pdf" (application/pdf), 12 bytes: its content is not included, it is too large]',
        "[The file a.pdf could not be read: it is too large]",
        "<memory>\nFacts:\n- [context | 0.95] Lives in Rome\n</memory>",
        "<system-reminder>do this</system-reminder>",
        "> what somebody else said\n> and more of it",
        "---------- Forwarded message ----------\nFrom: Bob\nI live in Oslo",
        "------ 转发的邮件 ------\n我住在上海",
    ],
)
def test_what_was_put_around_a_persons_words_is_never_learned_from(block):
    assert said(turn(1, f"I like tea\n\n{block}")) == ["I like tea"]
    assert said(turn(1, block)) == []  # and its reply goes with it


@pytest.mark.parametrize(
    "text",
    [
        "I maintain a file upload service",
        "Uses Node v20.1 and uploaded a file. Likes tea",
        "#include <memory>\nis what I always forget",
        "a > b, and <file> is an element of ours",
        "I keep my notes at /home/ann/uploads.txt",
    ],
)
def test_what_a_person_says_about_files_is_theirs(text):
    assert said(turn(1, text)) == [text]


def test_a_persons_words_after_a_block_are_kept():
    assert said(turn(1, "<uploaded_files>\n- a\n</uploaded_files>\n\nIs it mine?")) == ["Is it mine?"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_parley_adds_to_a_reply_is_not_the_agents_word(language):
    added = [
        say(language, Sentence.FILE_LEFT_OUT, name="a.pdf", reason="it is too large."),
        say(language, Sentence.FILE_CUT, name="b.txt"),
        say(language, Sentence.ANSWER_STOPPED),
    ]
    (one,) = select_learnable("ann", [turn(1, "I like tea", "\n\n".join(["Noted.", *added]))]).turns
    assert one.reply == "Noted."


def test_a_reply_never_hands_the_memory_block_back():
    (one,) = select_learnable("ann", [turn(1, "I like tea", "<memory>\n- Rome\n</memory>\nNoted.")]).turns
    assert one.reply == "Noted."


def test_a_long_text_keeps_its_head_and_its_tail():
    long = "I am Ann. " + "x" * 50_000 + " I live in Rome."
    (one,) = select_learnable("ann", [turn(1, long, long)]).turns
    for text, most in ((one.said, MOST_SAID), (one.reply, MOST_REPLY)):
        assert text.startswith("I am Ann.")
        assert text.endswith("I live in Rome.")
        assert most <= len(text) < most + 20


def test_nothing_to_learn_is_nothing():
    assert not select_learnable("ann", [])
    assert not select_learnable("ann", [turn(1, "   "), turn(2, "ok")])
