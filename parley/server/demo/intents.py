"""What the demonstration answers (pure): the first matching line of a table of intents."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from parley.server.demo.artifacts import long_document, picture, text_file
from parley.server.demo.mail import EmailRequest, parse_email_request, parse_lone_address
from parley.server.demo.thread_inspection import ThreadReading
from parley.server.demo.tools import NOT_SENT

_MAX_COUNT = 500
_REFUSED = "User rejected the tool call"
_REASON = " with reason: "


@dataclass(frozen=True, slots=True)
class DemoReply:
    """What to say; a tool to call and its arguments; a file; and how many times slower than usual.

    `introduces` says that the text tells what speaks here.
    """

    text: str
    tool: str = ""
    arguments: Mapping[str, str] | None = None
    file: Mapping[str, object] | None = None
    pace: float = 1.0
    introduces: bool = False


IntentHandler: TypeAlias = Callable[[ThreadReading, re.Match[str]], DemoReply]


def choose_reply(reading: ThreadReading) -> DemoReply:
    """The answer to a thread as it stands."""
    if reading.tool:
        return _after_tool(reading)
    answer = _find(reading)
    if reading.introduced or answer.introduces:
        return answer
    hello = _say(
        reading,
        "I am Parley's built-in demonstration, no AI: set `agent.model` for a real one.\n\n",
        "我是 Parley 自带的演示程序，不是人工智能：设置 `agent.model` 即可使用真正的模型。\n\n",
    )
    return replace(answer, text=hello + answer.text)


def _find(reading: ThreadReading) -> DemoReply:
    if addressed := _addressed(reading):
        return addressed
    for pattern, answer in _INTENTS:
        if match := pattern.search(reading.text):
            return answer(reading, match)
    return _echo(reading)


def _say(reading: ThreadReading, english: str, chinese: str) -> str:
    return chinese if reading.chinese else english


def _after_tool(reading: ThreadReading) -> DemoReply:
    result = str(reading.tool.text) if reading.tool else ""
    if reading.tool and reading.tool.name == "get_time":
        return DemoReply(_say(reading, f"It is {result}.", f"现在是 {result}。"))
    if NOT_SENT in result:
        rest = result[result.index(NOT_SENT) + len(NOT_SENT) :].strip()
        return DemoReply(
            _say(
                reading,
                f"You approved it, but this is a demonstration: nothing was sent. {rest}",
                f"已获批准，但这只是演示：没有真正发送任何邮件。（{rest}）",
            )
        )
    # What LangChain writes around a refusal is for models; people read what somebody said, if anything.
    said = result.partition(_REASON)[2] if result.startswith(_REFUSED) else result
    reason = _say(reading, f" The reason: {said}", f"理由：{said}") if said.strip() else ""
    return DemoReply(_say(reading, "All right, nothing was sent.", "好的，没有发送任何邮件。") + reason)


def _who(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    text = _say(
        reading,
        "I am no AI: a small program to try Parley offline. Set `agent.model` for a real one. "
        "Ask me for the time, an e-mail (you approve it first), a file, a picture, a long document, "
        "or to count to 20 slowly.",
        "我不是人工智能，只是让您离线试用 Parley 的小程序。设置 `agent.model` 即可使用真正的模型。"
        "您可以问我时间，让我发邮件（先请您批准）、生成文件或图片、写一篇长文，或慢慢数到20。",
    )
    return DemoReply(text, introduces=True)


def _time(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    return DemoReply(_say(reading, "Let me look at the clock.", "我看一下时钟。"), "get_time", {})


def _email(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    return _mail(reading, parse_email_request(reading.text))


def _mail(reading: ThreadReading, order: EmailRequest) -> DemoReply:
    """Ask for approval of an e-mail, or for its address: none is ever made up."""
    if not order.to:
        whom = order.name or _say(reading, "them", "对方")
        asks = f"I do not know the e-mail address of {whom}. Which one is it?"
        return DemoReply(_say(reading, asks, f"我不知道{whom}的邮箱地址。请告诉我地址。"))
    greeting = _say(reading, "Hello from Parley", "来自 Parley 的问候")
    arguments = {
        "to": order.to,
        "subject": order.subject or greeting,
        "body": order.body or order.subject or greeting,
    }
    return DemoReply(
        _say(reading, "I will need your approval for that.", "这需要您的批准。"), "send_email", arguments
    )


def _addressed(reading: ThreadReading) -> DemoReply | None:
    """The e-mail of the message before, where this one says no more than its address."""
    address = parse_lone_address(reading.text)
    if not address or not reading.earlier or not _EMAIL.search(reading.earlier[-1]):
        return None
    order = parse_email_request(reading.earlier[-1])
    return None if order.to else _mail(reading, replace(order, to=address))


def _count(reading: ThreadReading, match: re.Match[str]) -> DemoReply:
    last = min(int(match["n"] or match["m"]), _MAX_COUNT)
    slow = re.search(r"slow|慢", reading.text, re.IGNORECASE)
    return DemoReply(" ".join(str(number) for number in range(1, last + 1)), pace=20.0 if slow else 1.0)


def _picture(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    return DemoReply(_say(reading, "Here is a picture.", "这是一张图片。"), file=picture("gradient.png"))


def _file(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    said = "\n".join(f"- {line}" for line in (*reading.earlier, reading.text))
    content = f"# What you said\n\n{said}\n"
    text = _say(reading, "Here is a file with what you said so far.", "这个文件里是您到目前为止说过的话。")
    return DemoReply(text, file=text_file("notes.md", content))


def _long(_: ThreadReading, __: re.Match[str]) -> DemoReply:
    return DemoReply(long_document(), pace=0.1)


def _recall(reading: ThreadReading, match: re.Match[str]) -> DemoReply:
    if not reading.earlier:
        return DemoReply(_say(reading, "You have said nothing before this.", "在此之前您还没有说过什么。"))
    if re.search(r"first|最早|第一|最开始", match.string, re.IGNORECASE):
        first = reading.earlier[0]
        return DemoReply(
            _say(reading, f"The first thing you said was: “{first}”", f"您最早说的是：“{first}”")
        )
    lines = "\n".join(f"{number}. {said}" for number, said in enumerate(reading.earlier[-20:], 1))
    return DemoReply(_say(reading, f"You said before:\n\n{lines}", f"您之前说过：\n\n{lines}"))


def _about_me(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    if not reading.memory:
        return DemoReply(_say(reading, "I was told nothing about you.", "没有人告诉过我关于您的事。"))
    return DemoReply(
        _say(reading, "I was told this about you:", "我得知关于您的这些：") + f"\n\n{reading.memory}"
    )


def _echo(reading: ThreadReading) -> DemoReply:
    parts = []
    if reading.received:
        lines = "\n".join(
            f"- {each.name or '?'}: {each.mime or '?'}, {each.size:,} bytes" for each in reading.received
        )
        parts.append(_say(reading, f"I received:\n\n{lines}", f"我收到了：\n\n{lines}"))
    if reading.text:
        parts.append(_say(reading, f"You said: {reading.text}", f"您说：{reading.text}"))
    return DemoReply("\n\n".join(parts) or "…")


def _when(pattern: str, answer: IntentHandler) -> tuple[re.Pattern[str], IntentHandler]:
    # What belongs together stands near: without a bound each beginning would be tried with each end.
    return re.compile(pattern.replace(".*", ".{0,200}"), re.IGNORECASE | re.DOTALL), answer


_EMAIL, _ = _when(r"\b(?:send|write)\b.*\be-?mail|\be-?mail\b.*@|发.*(?:邮件|电邮|email)|写.*邮件", _email)
_MAKE = r"(?:make|create|give|send|write|generate|draw|show|produce)\b"
_INTENTS = (
    _when(r"\bcount (?:up )?to (?P<n>\d{1,9})|数到\s*(?P<m>\d{1,9})", _count),
    (_EMAIL, _email),
    _when(
        r"\b(?:are you|r u)\b.*\b(?:ai|human|person|real|robot|bot|llm|gpt)\b|\b(?:who|what) are you\b", _who
    ),
    _when(r"\b(?:which|what) (?:ai |language )?model\b|你是谁|你是.*(?:人|AI|程序|模型)|什么模型", _who),
    _when(r"^\W*(?:/?help|帮助|你能做什么|what can you do)\W*$", _who),
    _when(r"\bwhat do you (?:know|remember) about me\b|(?:知道|记得).*我的?(?:什么|哪些)|关于我", _about_me),
    _when(
        r"\bwhat (?:did|have|had) I (?:say|said|ask|asked|told|tell)|\bwhat was my (?:first|last)", _recall
    ),
    _when(r"我.*(?:说过|说了|问过|问了)什么|(?:说过|说了)哪些", _recall),
    _when(
        r"\bwhat(?:'s|’s| is) the (?:time|date)|\bwhat (?:time|day)\b|\b(?:the )?time (?:is it|now)", _time
    ),
    _when(
        r"\btell me the (?:time|date)|几点|现在.*时间|什么时间|时间是|今天.*(?:几号|日期|星期)|星期几", _time
    ),
    _when(rf"\b{_MAKE}.*\b(?:picture|image|photo|png)\b|(?:画|图片|图像)", _picture),
    _when(rf"\b{_MAKE}.*\b(?:file|attachment|document file|notes)\b|(?:生成|做|给|发|写).*文件", _file),
    _when(r"^\W*long\W*$|\blong(?:er)? (?:answer|reply|text|document|message|markdown)|长文|长篇", _long),
)
