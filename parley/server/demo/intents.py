"""What the demonstration answers (pure): the first matching line of a table of intents."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from parley.server.demo.long_document import long_document
from parley.server.demo.mail import EmailRequest, parse_email_request, parse_lone_address
from parley.server.demo.thread_inspection import ThreadReading
from parley.server.demo.tools import NOT_SENT

_MAX_COUNT = 500
_MAX_SAID = 20
_REFUSED = "User rejected the tool call"
_REASON = " with reason: "


@dataclass(frozen=True, slots=True)
class DemoReply:
    """What to say; a tool to call and its arguments; a file; and how many times slower than usual.

    `introduces` says that the text tells what speaks here.
    """

    text: str
    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    file: Mapping[str, object] | None = None
    pace: float = 1.0
    introduces: bool = False


IntentHandler: TypeAlias = Callable[[ThreadReading, re.Match[str]], DemoReply]


def choose_reply(reading: ThreadReading) -> DemoReply:
    """The answer to a thread as it stands."""
    if reading.tool:
        return DemoReply(_after_tool(reading, reading.tool.name or "", str(reading.tool.text)))
    answer = _addressed(reading) or _find(reading)
    if reading.introduced or answer.introduces:
        return answer
    hello = reading.say(
        "I am Parley's built-in demonstration, no AI: set `agent.model` for a real one.\n\n",
        "我是 Parley 自带的演示程序，不是人工智能：设置 `agent.model` 即可使用真正的模型。\n\n",
    )
    return replace(answer, text=hello + answer.text)


def _find(reading: ThreadReading) -> DemoReply:
    for pattern, answer in _INTENTS:
        if match := pattern.search(reading.text):
            return answer(reading, match)
    lines = "\n".join(reading.received)
    received = reading.say(f"I received:\n\n{lines}", f"我收到了：\n\n{lines}") if lines else ""
    said = reading.say(f"You said: {reading.text}", f"您说：{reading.text}") if reading.text else ""
    return DemoReply("\n\n".join(filter(None, (received, said))) or "…")


def _after_tool(reading: ThreadReading, name: str, result: str) -> str:
    if name == "get_time":
        return reading.say(f"It is {result}.", f"现在是 {result}。")
    _, sent, rest = result.partition(NOT_SENT)
    if sent:
        return reading.say(
            f"You approved it, but this is a demonstration: nothing was sent. {rest.strip()}",
            f"已获批准，但这只是演示：没有真正发送任何邮件。（{rest.strip()}）",
        )
    # What LangChain writes around a refusal is for models; people read what somebody said, if anything.
    said = result.partition(_REASON)[2] if result.startswith(_REFUSED) else result
    reason = reading.say(f" The reason: {said}", f"理由：{said}") if said.strip() else ""
    return reading.say("All right, nothing was sent.", "好的，没有发送任何邮件。") + reason


def _who(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    text = reading.say(
        "I am no AI: a small program to try Parley offline. Set `agent.model` for a real one. "
        "Ask me for the time, an e-mail (you approve it first), a file, a long document, "
        "or to count to 20 slowly.",
        "我不是人工智能，只是让您离线试用 Parley 的小程序。设置 `agent.model` 即可使用真正的模型。"
        "您可以问我时间，让我发邮件（先请您批准）、生成文件、写一篇长文，或慢慢数到20。",
    )
    return DemoReply(text, introduces=True)


def _time(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    return DemoReply(reading.say("Let me look at the clock.", "我看一下时钟。"), "get_time")


def _mail(reading: ThreadReading, order: EmailRequest) -> DemoReply:
    """Ask for approval of an e-mail, or for its address: none is ever made up."""
    if not order.to:
        whom = order.name or reading.say("them", "对方")
        asks = f"I do not know the e-mail address of {whom}. Which one is it?"
        return DemoReply(reading.say(asks, f"我不知道{whom}的邮箱地址。请告诉我地址。"))
    subject = order.subject or reading.say("Hello from Parley", "来自 Parley 的问候")
    arguments = {"to": order.to, "subject": subject, "body": order.body or subject}
    text = reading.say("I will need your approval for that.", "这需要您的批准。")
    return DemoReply(text, "send_email", arguments)


def _addressed(reading: ThreadReading) -> DemoReply | None:
    """The e-mail of the message before, where this one says no more than its address."""
    address = parse_lone_address(reading.text)
    if not address or not reading.earlier or not _EMAIL[0].search(reading.earlier[-1]):
        return None
    order = parse_email_request(reading.earlier[-1])
    return None if order.to else _mail(reading, replace(order, to=address))


def _count(reading: ThreadReading, match: re.Match[str]) -> DemoReply:
    last = min(int(match["n"] or match["m"]), _MAX_COUNT)
    slow = re.search(r"slow|慢", reading.text, re.IGNORECASE)
    return DemoReply(" ".join(map(str, range(1, last + 1))), pace=20.0 if slow else 1.0)


def _file(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    said = "\n".join(f"- {line}" for line in (*reading.earlier, reading.text))
    content = b64encode(f"# What you said\n\n{said}\n".encode()).decode()
    file = {"type": "file", "base64": content, "mime_type": "text/markdown", "filename": "notes.md"}
    text = reading.say("Here is a file with what you said so far.", "这个文件里是您到目前为止说过的话。")
    return DemoReply(text, file=file)


def _recall(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    if not reading.earlier:
        return DemoReply(reading.say("You have said nothing before this.", "在此之前您还没有说过什么。"))
    lines = "\n".join(f"{number}. “{said}”" for number, said in enumerate(reading.earlier[:_MAX_SAID], 1))
    return DemoReply(reading.say("You said, from the first on:\n\n", "您从最早开始说过：\n\n") + lines)


def _about_me(reading: ThreadReading, _: re.Match[str]) -> DemoReply:
    if not reading.memory:
        return DemoReply(reading.say("I was told nothing about you.", "没有人告诉过我关于您的事。"))
    told = reading.say("I was told this about you:", "我得知关于您的这些：")
    return DemoReply(f"{told}\n\n{reading.memory}")


def _when(pattern: str, answer: IntentHandler) -> tuple[re.Pattern[str], IntentHandler]:
    # What belongs together stands near: without a bound each beginning would be tried with each end.
    return re.compile(pattern.replace(".*", ".{0,200}"), re.IGNORECASE | re.DOTALL), answer


_EMAIL = _when(
    r"\b(?:send|write)\b.*\be-?mail|\be-?mail\b.*@|发.*(?:邮件|电邮|email)|写.*邮件",
    lambda reading, _: _mail(reading, parse_email_request(reading.text)),
)
_INTENTS = (
    _when(r"\bcount (?:up )?to (?P<n>\d{1,9})|数到\s*(?P<m>\d{1,9})", _count),
    _EMAIL,
    _when(r"\b(?:are you|r u)\b.*\b(?:ai|human|person|real|robot|bot|llm|gpt)\b|什么模型", _who),
    _when(r"\b(?:who|what) are you\b|\b(?:which|what) (?:ai |language )?model\b", _who),
    _when(r"你是谁|你是.*(?:人|AI|程序|模型)|^\W*(?:/?help|帮助|你能做什么|what can you do)\W*$", _who),
    _when(r"\bwhat do you (?:know|remember) about me\b|(?:知道|记得).*我的?(?:什么|哪些)|关于我", _about_me),
    _when(r"\bwhat (?:did|have|had) I (?:say|said|ask|tell|told)|我.*(?:说|问)[过了](?:什么|哪些)", _recall),
    _when(r"\bwhat(?:'s|’s| is) the (?:time|date)|\bwhat (?:time|day)\b|\btell me the (?:time|date)", _time),
    _when(r"\btime (?:is it|now)|几点|现在.*时间|什么时间|今天.*(?:几号|日期|星期)|星期几", _time),
    _when(
        r"\b(?:make|create|give|send|write|generate)\b.*\b(?:file|notes)\b|(?:生成|做|给|发|写).*文件", _file
    ),
    _when(
        r"^\W*long\W*$|\blong(?:er)? (?:answer|reply|text|document|message)|长文|长篇",
        lambda *_: DemoReply(long_document(), pace=0.1),
    ),
)
