"""Calls that arrive after their node lost the turn: what another node wrote stands in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.machine import patience
from tests.kit.product.deciders import OnDingTalk, OnFeishu, OnSlack
from tests.kit.product.holding_proxy import HoldingProxy
from tests.kit.product.process import Process
from tests.kit.product.scene import SLACK_TIMING
from tests.kit.product.telegram_chat import telegram_config
from tests.nodes.node_cluster import SLOW, NodeCluster, until

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]

REQUEST = patience(3.0)
WHOLE = f"{SLOW - 1} {SLOW}"


@dataclass(frozen=True)
class Platforms:
    """All platforms with one person each; `sections` are their settings, `shown` the bot's texts there."""

    telegram: TelegramSimulator
    sections: dict[str, dict[str, object]]
    shown: dict[str, Callable[[], Sequence[str]]]
    say: dict[str, Callable[[str], object]]


@pytest.fixture
def platforms() -> Iterator[Platforms]:
    with (
        SlackSimulator(timing=SLACK_TIMING) as slack,
        FeishuSimulator() as feishu,
        DingTalkSimulator() as dingtalk,
        TelegramSimulator() as telegram,
    ):
        on_slack, on_feishu, on_dingtalk = OnSlack(slack), OnFeishu(feishu), OnDingTalk(dingtalk)
        ada = telegram.people.add_person("Ada").id
        team = telegram.people.add_group("Team", [ada])
        sections = {each.name: each.section() for each in (on_slack, on_feishu, on_dingtalk)}
        sections["telegram"] = telegram_config(telegram)

        def telegram_texts() -> Sequence[str]:
            return [m.text for m in telegram.people.messages(team) if m.from_bot]

        def slack_texts() -> Sequence[str]:
            return [m.text for m in slack.people.messages(on_slack.place) if m.from_bot]

        def feishu_texts() -> Sequence[str]:
            return [m.text for m in feishu.people.messages(on_feishu.place) if m.from_bot]

        def dingtalk_texts() -> Sequence[str]:
            return [m.shown for m in dingtalk.people.messages(on_dingtalk.place) if m.from_robot]

        yield Platforms(
            telegram,
            {name: {**section, "request_timeout": REQUEST} for name, section in sections.items()},
            {
                "slack": slack_texts,
                "feishu": feishu_texts,
                "dingtalk": dingtalk_texts,
                "telegram": telegram_texts,
            },
            {
                "slack": on_slack.say,
                "feishu": on_feishu.say,
                "dingtalk": on_dingtalk.say,
                "telegram": lambda text: telegram.people.say(team, ada, f"@{telegram.username} {text}"),
            },
        )


def has(shown: Callable[[], Sequence[str]], words: str) -> bool:
    return words in "".join(shown())


def through(section: dict[str, object], proxies: ExitStack, held: list[HoldingProxy]) -> dict[str, object]:
    """The section with every address behind a proxy."""
    changed = dict(section)
    for key, value in section.items():
        if isinstance(value, str) and value.startswith("http://"):
            held.append(proxies.enter_context(HoldingProxy(value)))
            changed[key] = held[-1].url
    return changed


def test_the_whole_answer_stands_in_the_end(
    cluster: Cluster, agent: Process, platforms: Platforms, tmp_path: Path
):
    held: list[HoldingProxy] = []
    town = NodeCluster(cluster, agent, platforms.telegram, tmp_path)
    with ExitStack() as stack:
        stack.callback(town.close)
        sections = {name: through(each, stack, held) for name, each in platforms.sections.items()}
        held.append(stack.enter_context(HoldingProxy(town.url)))
        store = {**town.config("a")["store"], "url": held[-1].url}  # type: ignore[dict-item]
        (a,) = town.open("a", channels=sections, store=store)
        for say in platforms.say.values():
            say(f"Count to {SLOW} slowly")
        for shown in platforms.shown.values():
            until(partial(has, shown, "2 3"))
        for proxy in held:
            proxy.hold()
        (b,) = town.open("b", channels=platforms.sections)
        for shown in platforms.shown.values():
            until(partial(has, shown, WHOLE))
        until(lambda: "a call was broken off" in a.log)
        for proxy in held:
            proxy.release()
        # What was in the wire arrives, and at least one platform takes it.
        until(lambda: not all(has(shown, WHOLE) for shown in platforms.shown.values()))
        until(lambda: (a.log + b.log).count("written once more") == len(platforms.shown))
        for name, shown in platforms.shown.items():
            until(partial(has, shown, WHOLE))
            assert len([text for text in shown() if "2 3" in text]) == 1, (name, shown())
        assert "Traceback" not in a.log + b.log
