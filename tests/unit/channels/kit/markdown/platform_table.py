"""What markdown becomes, the table of docs/markdown.md.

`python -m tests.unit.channels.kit.markdown.platform_table` writes it.
"""

from __future__ import annotations

import re

from parley.channels.dingtalk import formatting as dingtalk
from parley.channels.feishu import formatting as feishu
from parley.channels.slack import formatting as slack
from parley.channels.telegram import formatting as telegram
from tests.kit.documents import GeneratedPart

PART = GeneratedPart("markdown.md", "markdown", "tests.unit.channels.kit.markdown.platform_table")
PLATFORMS = ("Telegram", "Slack", "Feishu", "DingTalk card", "DingTalk message")
ELEMENTS = {
    "heading": "## Plan",
    "bold, italic, strikethrough": "**a** *b* ~~c~~",
    "inline code": "`x < 1`",
    "code block": "```py\nx = 1\n```",
    "list": "- a\n  - b",
    "numbered list": "3. a\n4. b",
    "tasks": "- [ ] a\n- [x] b",
    "narrow table": "| a | b |\n|---|---|\n| 1 | 2 |",
    "wide table": "| name | what it is |\n|---|---|\n| ann | a person with a lot to say about everything |",
    "quote": "> a",
    "nested quote": "> a\n>\n> > b",
    "rule": "---",
    "lines of a paragraph": "a\nb",
    "link": "[a](https://b.c)",
    "relative link": "[a](./b.txt)",
    "bare link": "<https://a.b>",
    "reference": "[a][r]\n\n[r]: https://b.c",
    "image": "![a](https://b.c/d.png)",
    "footnote": "a[^1]\n\n[^1]: b",
    "HTML": "x<y <b>z</b>",
    "escapes": "\\*a\\* &lt;",
    "open fence": "```py\nx",
    "incomplete link": "[a](https://b",
    "`@name`": "ask @bob",
    "mention of everybody on Slack": "<!channel>",
    "user mention on Slack": "<@U012AB3CD>",
    "mention of everybody on Feishu": "<at id=all></at>",
    "mention of everybody on DingTalk": "@all",
    "user mention on Telegram": "[a](tg://user?id=1)",
    "DingTalk link that sends a message": "[a](dtmd://dingtalkclient/sendMessage?content=b)",
}


def shown(markdown: str) -> tuple[str, ...]:
    """One element as each platform is sent it."""
    return (
        "\n".join(_marked(part) for part in telegram.render(markdown)),
        "\n".join(slack.split_messages(slack.escape_mentions(markdown))),
        "\n".join(feishu.render(markdown)),
        "\n".join(dingtalk.card_parts(markdown)),
        "\n".join(dingtalk.plain_parts(markdown)),
    )


def table() -> str:
    """One row an element, one column a platform."""
    rows = ["| element | " + " | ".join(("markdown", *PLATFORMS)) + " |", "|---" * 7 + "|"]
    for name, markdown in ELEMENTS.items():
        cells = [_cell(text) if text != markdown else "as it is" for text in shown(markdown)]
        rows.append(f"| {name} | {_cell(markdown)} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n\n"


def _marked(part: telegram.FormattedMessage) -> str:
    """A message's text, each mark on it in braces behind its words."""
    data = part.text.encode("utf-16-le")
    for entity in sorted(part.entities, key=lambda entity: -(entity.offset + entity.length)):
        end = 2 * (entity.offset + entity.length)
        detail = entity.url or entity.language or ""
        mark = f"{{{entity.type.replace('_', ' ')} {detail}".rstrip() + "}"
        data = data[:end] + mark.encode("utf-16-le") + data[end:]
    return data.decode("utf-16-le")


def _cell(text: str) -> str:
    visible = text.replace("\u2060", "·").replace("\u200b", "·").replace("|", "\\|")
    ticks = "`" * (1 + max(map(len, re.findall("`+", visible)), default=0))
    pad = " " if "`" in (visible[:1], visible[-1:]) else ""
    return f"{ticks}{pad}{visible}{pad}{ticks}".replace("\n", " ⏎ ")


if __name__ == "__main__":
    PART.write(table())
