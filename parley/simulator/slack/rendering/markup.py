"""What people see of a text: Slack draws standard markdown and its own older dialect itself."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pyromark

from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object

_OPTIONS = pyromark.Options.ENABLE_STRIKETHROUGH
_LINK = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")
_BLOCKS = frozenset({"Paragraph", "Heading", "CodeBlock", "Item", "TableRow", "TableHead", "BlockQuote"})


def render_markdown(markdown: str, *, tables: bool = True) -> tuple[str, tuple[str, ...]]:
    """Return standard markdown as people see it, and those parts of it that are set as code.

    HTML is none to Slack: it is shown as written, and so are tables where it draws none. References like
    `&amp;` are read.
    """
    page = _Page()
    options = _OPTIONS | pyromark.Options.ENABLE_TABLES if tables else _OPTIONS
    for event in pyromark.events(markdown.replace("\0", ""), options=options):
        page.take(event)
    text = re.sub(r"\n{3,}", "\n\n", "".join(page.text)).strip("\n")
    return text, tuple(page.code)


def render_mrkdwn(text: str, *, marked: bool) -> str:
    """Return a `text` as people see it: links are read always, `*marks*` only where it is `marked`."""
    shown = _LINK.sub(lambda link: link[2] or link[1], text)
    if marked:
        shown = re.sub(r"(?<!\w)([*_~`])(\S(?:[^\n]*?\S)?)\1(?!\w)", r"\2", shown)
    return html.unescape(shown)


class _Page:
    def __init__(self) -> None:
        self.text: list[str] = []
        self.code: list[str] = []
        self._block: list[str] | None = None

    def take(self, event: object) -> None:
        if event in ("SoftBreak", "HardBreak"):
            self.text.append("\n")
        elif isinstance(event, dict):
            ((kind, value),) = event.items()
            handler = _HANDLERS.get(kind)
            if handler is not None:
                handler(self, value)

    def words(self, value: object) -> None:
        self.text.append(str(value))
        if self._block is not None:
            self._block.append(str(value))

    def inline_code(self, value: object) -> None:
        self.text.append(str(value))
        self.code.append(str(value))

    def start(self, value: object) -> None:
        name = _name(value)
        if name == "CodeBlock":
            self._block = []
        elif name == "Item":
            self.text.append("\n• ")
        elif name == "TableCell" and self.text and not self.text[-1].endswith("\n"):
            self.text.append(" | ")
        elif name in ("List", "Table"):
            self.text.append("\n")

    def end(self, value: object) -> None:
        name = _name(value)
        if name == "CodeBlock" and self._block is not None:
            self.code.append("".join(self._block).rstrip("\n"))
            self._block = None
        if name in ("TableRow", "TableHead", "Item", "List"):
            self.text.append("\n")
        elif name in _BLOCKS:
            self.text.append("\n\n")


def _name(value: object) -> str:
    return next(iter(value)) if isinstance(value, dict) else str(value)


_HANDLERS: dict[str, Callable[[_Page, object], None]] = {
    "Start": _Page.start,
    "End": _Page.end,
    "Text": _Page.words,
    "Code": _Page.inline_code,
    "InlineHtml": _Page.words,
    "Html": _Page.words,
}


def buttons(blocks: list[Json]) -> list[dict[str, Json]]:
    """Return a message's buttons and thumbs, each with its block's id."""
    found: list[dict[str, Json]] = []
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "actions":
            ours: dict[str, Json] = {"block_id": block.get("block_id", "")}
            for element in as_list(block.get("elements")):
                if isinstance(element, dict) and element.get("type") == "button":
                    found += [element | ours]
        elif isinstance(block, dict) and block.get("type") == "context_actions":
            for element in as_list(block.get("elements")):
                found += _thumbs(as_object(element), block.get("block_id", ""))
    return found


def _thumbs(element: JsonObject, block_id: Json) -> list[dict[str, Json]]:
    """Return both buttons of an element, each as it stands in the payload of a press."""
    told: dict[str, Json] = {"type": "feedback_buttons", "action_id": element.get("action_id")}
    return [
        told | dict(as_object(element.get(name))) | {"block_id": block_id}
        for name in ("positive_button", "negative_button")
        if name in element
    ]


def button_label(button: dict[str, Json]) -> str:
    """Return what stands on a button."""
    return str(as_object(button.get("text")).get("text", ""))
