"""Emphasis where no spaces part words from marks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.kit.markdown.events import parse_events
from parley.channels.kit.markdown.parse import parse
from parley.channels.kit.markdown.tree import Paragraph, plain_text


def runs(markdown):
    (block,) = parse(markdown)
    assert isinstance(block, Paragraph)
    return [(run.text, "+".join(sorted(run.marks))) for run in block.runs]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("**注意：**请看", [("注意：", "bold"), ("请看", "")]),
        ("**注意：**Note", [("注意：", "bold"), ("Note", "")]),
        ("**Note:**请看", [("Note:", "bold"), ("请看", "")]),
        ("请看**“重点”**内容", [("请看", ""), ("“重点”", "bold"), ("内容", "")]),
        ("他说**（重要）**的", [("他说", ""), ("（重要）", "bold"), ("的", "")]),
        ("他说**(a)**的", [("他说", ""), ("(a)", "bold"), ("的", "")]),
        (
            "请**（a）**看**《b》**吧",
            [("请", ""), ("（a）", "bold"), ("看", ""), ("《b》", "bold"), ("吧", "")],
        ),
        ("用**`foo`**函数", [("用", ""), ("foo", "bold+code"), ("函数", "")]),
        ("*注意！*请", [("注意！", "italic"), ("请", "")]),
        ("***注意：***请", [("注意：", "bold+italic"), ("请", "")]),
        ("~~删除。~~然后", [("删除。", "struck"), ("然后", "")]),
        ("これは**「強調」**です", [("これは", ""), ("「強調」", "bold"), ("です", "")]),
        ("이것은 **'강조'**입니다", [("이것은 ", ""), ("'강조'", "bold"), ("입니다", "")]),
        ("𠮷**：a**b", [("𠮷", ""), ("：a", "bold"), ("b", "")]),
    ],
)
def test_marks_beside_wide_punctuation_count(markdown, expected):
    assert runs(markdown) == expected


@pytest.mark.parametrize(
    "markdown",
    ["** 注意：**请", "价格 * 数量：* 折扣", "a**b", "`**注意：**请`", "2 * 3 = 6，4 * 5 = 20"],
)
def test_marks_that_mark_nothing_are_kept(markdown):
    (block,) = parse(markdown)
    assert isinstance(block, Paragraph)
    assert not any(run.marks & {"bold", "italic"} for run in block.runs)
    assert plain_text(block.runs) == markdown.strip("`")


def test_a_link_in_bold_is_a_link():
    (block,) = parse("看**[文档](https://a.b/c)**吧")
    assert isinstance(block, Paragraph)
    assert [(run.text, run.address, "bold" in run.marks) for run in block.runs] == [
        ("看", "", False),
        ("文档", "https://a.b/c", True),
        ("吧", "", False),
    ]


def test_offsets_are_those_of_the_source():
    source = "他说**（重要）**的<b>吧"
    (start,) = [event for event in parse_events(source) if event.name == "+Strong"]
    assert source[start.start : start.end] == "**（重要）**"


_SIGNS = st.text(st.sampled_from("*~注。：（）“”a( )`<\\_\ue000\u2e4e\n|[]"), max_size=60)


@settings(max_examples=300, deadline=None)
@given(_SIGNS)
def test_no_stand_in_is_ever_seen_and_no_word_is_lost(markdown):
    seen = "".join(str(event.value) for event in parse_events(markdown) if event.value is not None)
    for sign in "注\ue000\u2e4e":
        assert seen.count(sign) == markdown.count(sign)
    assert not any("\ue001" <= sign <= "\ue07f" or "\u2e00" <= sign <= "\u2e4d" for sign in seen)
