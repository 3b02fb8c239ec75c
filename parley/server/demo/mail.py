"""An e-mail that is asked for in a sentence (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}", re.ASCII)
_NAME = re.compile(
    r"\bto (?!an?\b|the\b)(\w[\w'’-]{0,40}(?: [A-Z][\w'’-]{0,40})?)|给\s{0,5}([^\s，,。]{1,20}?)\s{0,5}[发写]"
)
_SUBJECT = re.compile(
    r"(?:\b(?:subject|about)\b|主题)[:： ]{0,5}[\"“]?([^\"”,，。\n]{1,200})|关于([^，。\n]{1,100}?)的",
    re.IGNORECASE,
)
_AFTER_SUBJECT = re.compile(r"\s(?:to|saying|says|that|body)\b|\.$", re.IGNORECASE)
_BODY = re.compile(
    r"(?:\b(?:body|saying|that says|says|that)\b|内容|正文)[:： ]{0,5}[\"“]?([^\"”\n]{1,5000})",
    re.IGNORECASE,
)
_MOST_ORDER = 10_000
_MOST_ADDRESS = 320


@dataclass(frozen=True, slots=True)
class EmailRequest:
    """What an e-mail is to be: to which addresses, or for whom where none was given; else ""."""

    to: str
    name: str
    subject: str
    body: str


def parse_email_request(text: str) -> EmailRequest:
    """The e-mail that a sentence asks for."""
    text = text[:_MOST_ORDER]
    subject = _SUBJECT.search(text)
    addresses = list(_ADDRESS.finditer(text))
    # What stands in the words of the e-mail is no address that it goes to.
    body = _BODY.search(text, addresses[0].end() if addresses else 0)
    to = [found[0] for found in addresses[:1]]
    to += [found[0] for found in addresses[1:] if body is None or found.start() < body.start()]
    name = None if addresses else _NAME.search(text)
    about = _AFTER_SUBJECT.split(_said(subject), 1)[0]
    return EmailRequest(", ".join(dict.fromkeys(to)), _said(name), about, _said(body))


def parse_lone_address(text: str) -> str:
    """The address that a message is, and nothing else; else ""."""
    bare = text.strip(" \n\t.,;!?<>。，！？")
    return bare if len(bare) <= _MOST_ADDRESS and _ADDRESS.fullmatch(bare) else ""


def _said(found: re.Match[str] | None) -> str:
    return next((each.strip() for each in found.groups() if each), "") if found else ""
