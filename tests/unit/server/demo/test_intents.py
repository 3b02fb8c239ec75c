"""The demonstration: honest, useful offline, and able to show every feature."""

from __future__ import annotations

import textwrap
from base64 import b64decode
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph_sdk.client import LangGraphClient

from parley.core.texts import MemorySentence, say
from parley.server.demo.intents import DemoReply, choose_reply
from parley.server.demo.thread_inspection import inspect_thread
from parley.server.demo.tools import demo_tools


def answer(text: str | list[str | dict[str, Any]], *before: str) -> DemoReply:
    """The reply to a text in a thread that has begun."""
    earlier: list[BaseMessage] = [HumanMessage(each) for each in before]
    return choose_reply(inspect_thread([*earlier, AIMessage("…"), HumanMessage(text)]))


@pytest.mark.parametrize(("text", "words"), [("hello", "no AI"), ("你好", "不是人工智能")])
def test_the_first_answer_says_that_it_is_no_ai(text: str, words: str) -> None:
    assert words in choose_reply(inspect_thread([HumanMessage(text)])).text
    assert words not in answer(text).text


@pytest.mark.parametrize("text", ["hello", "What time is it?", "what can you do", "你好", "你能做什么"])
def test_the_first_answer_and_the_notice_of_first_use_are_short(text: str) -> None:
    first = choose_reply(inspect_thread([HumanMessage(text)])).text
    assert first.count("agent.model") == 1
    notice = say("en" if text.isascii() else "zh", MemorySentence.INFORMED)
    width = 80 if text.isascii() else 40
    lines = [len(textwrap.wrap(line, width)) or 1 for line in f"{first}\n\n{notice}".split("\n")]
    assert sum(lines) <= 7, first


@pytest.mark.parametrize("text", ["Are you an AI?", "who are you", "你是谁？", "你是人工智能吗", "help"])
def test_asked_it_says_so_again(text: str) -> None:
    assert "no AI" in answer(text).text or "不是人工智能" in answer(text).text


@pytest.mark.parametrize("text", ["What time is it?", "what's the date today", "现在几点了？", "今天星期几"])
def test_it_looks_at_the_clock(text: str) -> None:
    assert answer(text).tool == "get_time"


def test_it_reads_an_email_out_of_a_sentence() -> None:
    made = answer("Please send an e-mail to ada@example.org about lunch, saying see you at noon")
    assert made.tool == "send_email"
    assert made.arguments == {"to": "ada@example.org", "subject": "lunch", "body": "see you at noon"}
    assert answer("给 ada@example.org 发邮件，主题：午饭").arguments["to"] == "ada@example.org"


ORDERS = {
    "send an e-mail to bob@example.org that lunch is at noon": ("bob@example.org", "", "lunch is at noon"),
    "Write an email about the trip to bob@example.org saying we leave at 8.": (
        "bob@example.org",
        "the trip",
        "we leave at 8.",
    ),
    "e-mail a.b+c@mail.example.org and bob@example.org about tea": (
        "a.b+c@mail.example.org, bob@example.org",
        "tea",
        "tea",
    ),
    "Send an e-mail to bob@example.org saying write to eve@example.org": (
        "bob@example.org",
        "",
        "write to eve@example.org",
    ),
    "给 bob@example.org 发一封关于午餐的邮件": ("bob@example.org", "午餐", "午餐"),
}


@pytest.mark.parametrize("order", ORDERS)
def test_an_email_goes_to_whom_it_was_asked_for(order: str) -> None:
    to, subject, body = ORDERS[order]
    arguments = answer(order).arguments or {}
    assert arguments["to"] == to
    assert not subject or arguments["subject"] == subject
    assert not body or arguments["body"] == body


@pytest.mark.parametrize(
    ("order", "name"),
    [
        ("Send an e-mail to Ada that lunch is at noon", "Ada"),
        ("send an email to Ada Lovelace about tea", "Ada Lovelace"),
        ("给小明发一封关于午餐的邮件", "小明"),
        ("send an e-mail", "them"),
    ],
)
def test_no_address_is_made_up(order: str, name: str) -> None:
    asked = answer(order)
    assert not asked.tool
    assert name in asked.text
    assert "@" not in asked.text
    told = answer("Ada@example.org.", order)
    assert (told.tool, (told.arguments or {})["to"]) == ("send_email", "Ada@example.org")
    assert not answer("ada@example.org", "hello").tool


def test_it_remembers_what_was_said() -> None:
    said = answer("What did I say first?", "I like tea", "and scones").text
    assert said.endswith("1. “I like tea”\n2. “and scones”")
    assert said == answer("what did I say before?", "I like tea", "and scones").text
    assert "nothing before this" in answer("What did I say first?").text
    assert "我喜欢茶" in answer("我之前说过什么", "我喜欢茶").text


def test_it_echoes_but_never_what_travels_hidden() -> None:
    blocks: list[str | dict[str, Any]] = [
        {"type": "text", "text": "<memory>\nlikes tea\n</memory>"},
        {"type": "text", "text": "good morning"},
    ]
    assert answer(blocks).text == "You said: good morning"
    asked: list[str | dict[str, Any]] = [blocks[0], {"type": "text", "text": "what do you know about me?"}]
    assert "likes tea" in answer(asked).text


def test_it_describes_what_it_received() -> None:
    blocks: list[str | dict[str, Any]] = [
        {"type": "text", "text": "look"},
        {"type": "image", "base64": "AAAA", "mime_type": "image/png"},
        {"type": "text", "text": '<file name="a.txt" type="text/plain">\nabcd\n</file>'},
        {"type": "text", "text": '[Attached file "b.zip" (application/zip), 1234 bytes: its content is …]'},
    ]
    text = answer(blocks).text
    assert "- ?: image/png" in text
    assert "- a.txt: text/plain" in text
    assert "- b.zip: application/zip" in text
    assert text.endswith("You said: look")


def test_it_makes_files() -> None:
    made = answer("make a file please", "I like tea").file or {}
    assert b"- I like tea" in b64decode(str(made["base64"]))


def test_a_long_answer_has_fences_and_a_table() -> None:
    text = answer("write a long document").text
    assert len(text) > 5000
    assert text.count("```") % 2 == 0
    assert "| --- | --- |" in text


def test_it_counts_slowly_only_when_asked_to() -> None:
    assert answer("count to 5 slowly").text == "1 2 3 4 5"
    assert answer("count to 5 slowly").pace > answer("count to 5").pace
    assert answer("慢慢数到3").text == "1 2 3"
    assert len(answer("count to 999999999").text.split()) == 500


def test_the_tools_tell_the_truth() -> None:
    get_time, send_email = demo_tools(lambda: datetime(2026, 5, 4, 13, 30, tzinfo=UTC))
    assert get_time.invoke({}) == "Monday, 2026-05-04 13:30 UTC"
    sent = send_email.invoke({"to": "a@b.c", "subject": "s", "body": "text"})
    assert sent.startswith("Demonstration: nothing was sent.")


def human(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


DECISIONS = [
    ({"type": "approve"}, "nothing was sent", "ada@example.org"),
    ({"type": "reject", "message": "not now"}, "nothing was sent", "The reason: not now"),
    ({"type": "reject"}, "nothing was sent", ""),
    (
        {
            "type": "edit",
            "edited_action": {
                "name": "send_email",
                "args": {"to": "bob@example.org", "subject": "s", "body": "b"},
            },
        },
        "nothing was sent",
        "bob@example.org",
    ),
]


@pytest.mark.parametrize(("decision", "words", "detail"), DECISIONS)
async def test_an_email_waits_for_approval(
    demo: LangGraphClient, decision: dict[str, Any], words: str, detail: str
) -> None:
    thread = (await demo.threads.create())["thread_id"]
    state: Any = await demo.runs.wait(thread, "agent", input=human("send an e-mail to ada@example.org"))
    [asked] = state["__interrupt__"]
    [action] = asked["value"]["action_requests"]
    assert action["args"]["to"] == "ada@example.org"
    command: Any = {"resume": {asked["id"]: {"decisions": [decision]}}}
    state = await demo.runs.wait(thread, "agent", command=command)
    final = state["messages"][-1]["content"]
    assert words in final
    assert detail in final
    assert "tool" not in final


async def test_a_turn_with_the_clock_ends_with_the_time(demo: LangGraphClient) -> None:
    state: Any = await demo.runs.wait(None, "agent", input=human("what time is it?"))
    assert [message["type"] for message in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert state["messages"][2]["content"] in state["messages"][3]["content"]


async def test_a_file_streams_as_a_block_of_the_message(demo: LangGraphClient) -> None:
    state: Any = await demo.runs.wait(None, "agent", input=human("make a file"))
    text, file = state["messages"][-1]["content"]
    assert text["type"] == "text"
    assert (file["type"], file["mime_type"], file["filename"]) == ("file", "text/markdown", "notes.md")


async def test_it_counts_the_words_that_it_reads_and_writes(demo: LangGraphClient) -> None:
    thread = await demo.threads.create()
    said: dict[str, Any] = {"messages": [{"type": "human", "content": "good morning to you"}]}
    state: Any = await demo.runs.wait(thread["thread_id"], "agent", input=said)
    answer = state["messages"][-1]
    assert answer["usage_metadata"]["input_tokens"] == 4
    assert answer["usage_metadata"]["output_tokens"] == len(answer["content"].split())
    assert answer["response_metadata"]["model_name"] == "parley-demonstration"
