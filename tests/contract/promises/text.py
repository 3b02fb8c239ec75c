"""Text on its way out: nothing is lost, whatever it is made of."""

from __future__ import annotations

import re
from itertools import pairwise

from parley.core.model.types import Outcome
from tests.contract.driver import Shown, Trouble
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import answering
from tests.contract.promise import needs

MARKDOWN = """\
# The plan

Some **bold** and *slanted* words, `code_with_underscores` and snake_case_words.

- first item
- second item with [a link](https://example.com/a_b?c=1&d=2)

| name | number |
|---|---|
| ann | 41 |
| bob | 42 |

```python
if a < b and b > c:  # *not slanted*
    x = {"a": [1, 2]}
```

1 < 2 & 3 > 2, 5 \\* 6, <b>no tag</b>, 100 % of it - the end.
"""
_WORDS = (
    *("The plan", "bold", "slanted", "code_with_underscores", "snake_case_words", "first item"),
    *("second item with", "a link", "ann", "41", "bob", "42", "if a < b and b > c:  # *not slanted*"),
    *('    x = {"a": [1, 2]}', "1 < 2 & 3 > 2", "<b>no tag</b>", "100 % of it - the end."),
)


async def promise_markdown_keeps_its_words(scene: Scene) -> None:
    """Markdown is shown in the platform's format with every word, table cell and line of code, in order."""
    place = await scene.driver.private()
    scene.agent.script = answering(MARKDOWN)
    shown = "\n".join(await scene.ask(place, "the plan?"))
    positions = [shown.find(word) for word in _WORDS]
    assert -1 not in positions, [word for word in _WORDS if word not in shown]
    assert all(earlier < later for earlier, later in pairwise(positions))
    assert not [mark for mark in ("**", "```", "](", "# The") if mark in shown]
    (message,) = await scene.shown(place)
    assert any('x = {"a": [1, 2]}' in code for code in message.code)


async def promise_awkward_text_survives(scene: Scene) -> None:
    """Malformed markdown (open fences, single asterisks, brackets) is shown completely."""
    place = await scene.driver.private()
    texts = (
        "a * b _ c ** d ` e [f g",
        "begins ```python\nand never ends",
        "x<y and y>z <think>hm</think> end",
        "bell \x07 and return\r\nnext",
    )
    for number, text in enumerate(texts, start=1):
        scene.agent.script = answering(text)
        answer = (await scene.ask(place, f"say {number}", number))[-1]
        lost = [word for word in re.findall(r"[a-z]+", text) if word not in answer]
        assert not lost, (text, answer)


async def promise_every_sign_survives(scene: Scene) -> None:
    """Emoji, joined characters and scripts beyond the basic plane are never split."""
    place = await scene.driver.private()
    text = "👩‍👩‍👧‍👦🇩🇪👍🏽 𝒳𝒴𝒵 你好，世界 مرحبا é Z̈ " * 3 + "end"
    scene.agent.script = answering(text)
    assert await scene.ask(place, "signs") == [text]


async def promise_an_empty_answer_is_said(scene: Scene) -> None:
    """When the agent returns no text, people are told so in a sentence."""
    place = await scene.driver.private()
    scene.agent.script = answering("", outcome=Outcome.EMPTY)
    (answer,) = await scene.ask(place, "say nothing")
    assert len(answer) > 10


async def promise_a_huge_answer_arrives_whole(scene: Scene) -> None:
    """An answer of sixty thousand characters arrives completely, in order, as one turn."""
    place = await scene.driver.private()
    words = [f"word{number}" for number in range(6_000)]
    scene.agent.script = answering(" ".join(words))
    shown = await scene.ask(place, "everything")
    assert " ".join(shown).split() == words


@needs("splits")
async def promise_parts_are_within_the_limit(scene: Scene) -> None:
    """A long answer is split into parts within the platform's limit, counted in its unit, also with emoji."""
    traits, place = scene.driver.traits, await scene.driver.private()
    words = [f"{number}👍🏽👍🏽👍🏽" for number in range(traits.max_part // 5)]
    scene.agent.script = answering(" ".join(words))
    shown = await scene.ask(place, "many")
    assert len(shown) > 1
    assert max(traits.unit(part) for part in shown) <= traits.max_part
    assert " ".join(shown).split() == words


@needs("groups", "splits")
async def promise_a_long_chinese_answer_arrives_in_a_group(scene: Scene) -> None:
    """A long Chinese answer, three bytes a character, arrives whole in a group, in parts that fit there."""
    traits, place = scene.driver.traits, await scene.driver.group()
    text = "".join(f"第{number}句，群里的消息按字节计算长度。" for number in range(700))
    scene.agent.script = answering(text)
    parts = await scene.ask(place, scene.to_bot("请详细说明"))
    # Some begin with a mention of who asked.
    assert "".join("".join(parts).partition("第0句")[1:]) == text
    assert max(traits.unit(part) for part in parts) <= traits.max_part


@needs("splits")
async def promise_code_stays_code_in_every_part(scene: Scene) -> None:
    """A code block that is split is a code block in every part, with no line lost or broken."""
    place = await scene.driver.private()
    count = scene.driver.traits.max_part // 12
    lines = [f"row_{number} = {number} * 2  # {'x' * 12}" for number in range(count)]
    scene.agent.script = answering("Here:\n\n```python\n" + "\n".join(lines) + "\n```\n\nThat is all.")
    parts = await scene.ask(place, "code")
    assert len(parts) > 1
    code = [line for shown in await scene.shown(place) for line in _code_lines(shown)]
    assert code == lines
    assert "That is all." in parts[-1]


@needs(Trouble.UNFORMATTED)
async def promise_refused_marks_leave_the_words(scene: Scene) -> None:
    """When the platform refuses the formatting of a text, the text is shown without formatting."""
    place = await scene.driver.private()
    scene.driver.trouble(Trouble.UNFORMATTED)
    scene.agent.script = answering("so **very** important")
    answers = await scene.ask(place, "what?")
    assert len(answers) == 1
    assert re.findall(r"\w+", answers[0]) == ["so", "very", "important"]


def _code_lines(shown: Shown) -> list[str]:
    return [line for block in shown.code for line in block.splitlines() if line.strip()]
