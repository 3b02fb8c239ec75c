"""Where many answers grow at once: real channels against simulated platforms that enforce their limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.loads.growing_answers import Stage
from parley.channels.dingtalk.channel import create as create_dingtalk
from parley.channels.dingtalk.config import Config as DingTalkConfig
from parley.channels.feishu.channel import create as create_feishu
from parley.channels.feishu.config import Config as FeishuConfig
from parley.channels.slack.channel import SlackChannel
from parley.channels.slack.config import Config as SlackConfig
from parley.channels.telegram.channel import create as create_telegram
from parley.channels.telegram.config import Config as TelegramConfig
from parley.core.model.address import Conversation, User
from parley.core.model.types import ReplyTarget
from parley.core.ports.channel import ChannelServices
from parley.core.ports.journal import Document
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.kit.limits import load_limits
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator


class _MemoryDocuments:
    """Documents that live as long as the load."""

    def __init__(self) -> None:
        self._kept: dict[str, Document] = {}

    async def get(self, key: str) -> Document:
        return self._kept.get(key, Document(key, "", 0))

    async def set(self, document: Document) -> Document:
        kept = self._kept[document.key] = replace(document, version=document.version + 1)
        return kept

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        keys = sorted(key for key in self._kept if key.startswith(prefix) and key > after)
        return [self._kept[key] for key in keys[:limit]]

    async def delete(self, key: str) -> None:
        self._kept.pop(key, None)


@contextmanager
def slack_threads() -> Iterator[Stage]:
    """Twenty threads of one Slack channel: streams."""
    with SlackSimulator() as sim:
        person = sim.people.add_person("Alice")
        chat = sim.people.add_channel("team", [person.id])
        roots = [sim.people.say(chat, person.id, f"question {number}") for number in range(20)]
        targets = [
            ReplyTarget(
                f"turn-{root}", Conversation("slack", chat, root), f"{chat}:{root}", _slack(person.id), False
            )
            for root in roots
        ]
        limits = [_a_minute("slack", "stop_stream_calls")]
        yield Stage(_slack_channel(sim), targets, lambda: sim.refused_for_pace, limits)


@contextmanager
def slack_messages() -> Iterator[Stage]:
    """Twenty direct messages of Slack outside of threads: messages that are changed."""
    with SlackSimulator() as sim:
        targets = []
        for number in range(20):
            person = sim.people.add_person(f"Person {number}")
            asked = sim.people.say(person.dm, person.id, "question")
            place = Conversation("slack", person.dm)
            targets.append(
                ReplyTarget(f"turn-{number}", place, f"{person.dm}:{asked}", _slack(person.id), True)
            )
        limits = [_a_minute("slack", "update_calls")]
        yield Stage(_slack_channel(sim), targets, lambda: sim.refused_for_pace, limits)


@contextmanager
def telegram_topics() -> Iterator[Stage]:
    """Five topics of one forum."""
    with TelegramSimulator() as sim, _services() as services:
        person = sim.people.add_person("Alice")
        chat = sim.people.add_group("Forum", [person.id], forum=True)
        topics = [sim.people.add_topic(chat, f"Topic {number}", person.id) for number in range(5)]
        who = User("telegram", str(person.id))
        targets = []
        for topic in topics:
            asked = sim.people.say(chat, person.id, "question", topic=topic)
            place = Conversation("telegram", str(chat), str(topic))
            targets.append(ReplyTarget(f"turn-{topic}", place, f"{chat}:{asked}", who, False))
        config = TelegramConfig(
            bot_token=sim.token, api_url=sim.api_url, poll_timeout=1, allowed_users=("*",)
        )
        limits = [_a_minute("telegram", "messages_in_group"), (10, 10.0)]
        yield Stage(create_telegram(config, services), targets, lambda: sim.refused_for_pace, limits)


@contextmanager
def feishu_cards() -> Iterator[Stage]:
    """Fifty cards in fifty chats."""
    with FeishuSimulator() as sim, _services() as services:
        targets = []
        for number in range(50):
            person = sim.people.add_person(f"Person {number}")
            asked = sim.people.say(person.chat, person.open_id, "question")
            place, who = Conversation("feishu", person.chat), User("feishu", person.open_id)
            targets.append(ReplyTarget(f"turn-{number}", place, asked, who, True))
        config = FeishuConfig(
            app_id=sim.world.app_id, app_secret=sim.world.secret, domain=sim.url, allowed_users=("*",)
        )
        limits = [_a_second("feishu", "api_calls_per_second"), _a_minute("feishu", "api_calls_per_minute")]
        yield Stage(create_feishu(config, services), targets, lambda: sim.world.refused_for_pace, limits)


@contextmanager
def dingtalk_cards() -> Iterator[Stage]:
    """Twenty AI cards."""
    with DingTalkSimulator() as sim, _services() as services:
        targets = []
        for number in range(20):
            person = sim.people.add_person(f"Person {number}")
            place, who = Conversation("dingtalk", person.id), User("dingtalk", person.id)
            targets.append(ReplyTarget(f"turn-{number}", place, "msg", who, True))
        config = DingTalkConfig(
            client_id=sim.client_id,
            client_secret=sim.client_secret,
            api_url=sim.url,
            oapi_url=sim.url,
            card_template_id=sim.template,
            allowed_users=("*",),
        )
        limits = [(int(config.card_rate), 1.0)]
        yield Stage(create_dingtalk(config, services), targets, lambda: sim.refused_for_pace, limits)


STAGES: Mapping[str, Callable[[], AbstractContextManager[Stage]]] = {
    "Slack, 20 threads": slack_threads,
    "Slack, 20 messages": slack_messages,
    "Telegram, 5 topics of a forum": telegram_topics,
    "Feishu, 50 cards": feishu_cards,
    "DingTalk, 20 cards": dingtalk_cards,
}


def _slack_channel(sim: SlackSimulator) -> SlackChannel:
    return SlackChannel(SlackConfig(bot_token=sim.bot_token, app_token=sim.app_token, api_url=sim.api_url))


def _slack(person: str) -> User:
    return User("slack", person, language="en")


@contextmanager
def _services() -> Iterator[ChannelServices]:
    with TemporaryDirectory() as folder:
        yield ChannelServices(_MemoryDocuments(), Path(folder), ())


def _a_minute(platform: str, row: str) -> tuple[int, float]:
    return load_limits(platform)[row].whole, 60.0


def _a_second(platform: str, row: str) -> tuple[int, float]:
    return load_limits(platform)[row].whole, 1.0
