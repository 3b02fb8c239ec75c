"""The home tab: whether the agent can be reached, what is known of a person, and what waits for their answer.

Slack shows a home tab to its person only. Everything in it that somebody has written stands in plain text, in
which nothing is interpreted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from parley.channels.slack.agent_api import SlackAgentApi
from parley.channels.slack.inbound.context import SlackInboundContext
from parley.channels.slack.inbound.event_parser import NAME, sender_of
from parley.channels.slack.manifest import COMMAND
from parley.core.model.address import Conversation
from parley.core.model.errors import ChannelError, MemoryFailed, StoreUnavailable
from parley.core.model.types import Json
from parley.core.ports.channel import OverviewInbox, PersonOverview
from parley.core.ports.journal import log_store_failure
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

MOST_SUMMARIES = 6
MOST_TEXT = 1_000
"""Characters of one entry; Slack takes 3,000 in a section."""


async def publish_home(api: SlackAgentApi, listener: SlackInboundContext, chat: str, user: str) -> None:
    """Show somebody their home tab as it is now; what fails of it is logged."""
    try:
        people = await listener.people.get_many((user,))
        sender = sender_of(user, listener.me, people)
        overview = None
        if isinstance(listener.inbox, OverviewInbox) and await listener.door.admits(user):
            overview = await listener.inbox.overview(sender, Conversation(NAME, chat, None))
        view = refused_view(language_of(sender.language)) if overview is None else home_view(overview)
        await api.publish_home(user, view)
    except (ChannelError, MemoryFailed, StoreUnavailable) as error:
        log_store_failure(log.info, "slack: the home tab of %s is not shown (%s)", user, error)


def home_view(overview: PersonOverview) -> dict[str, Json]:
    """Return an overview as a view."""
    return _view([*_blocks(overview)])


def refused_view(language: str) -> dict[str, Json]:
    """Return what somebody sees whom the app does not talk to."""
    return _view([_plain(say(language, Sentence.HOME_REFUSED))])


def _blocks(overview: PersonOverview) -> Iterator[Json]:
    language = overview.language
    yield _words(say(language, Sentence.HOME_WELCOME, command=COMMAND))
    yield {"type": "divider"}
    yield _words(f"*{say(language, Sentence.HOME_STATUS)}*")
    state = Sentence.HOME_REACHABLE if overview.reachable else Sentence.HOME_AWAY
    yield _words(say(language, state, command=COMMAND))
    if overview.questions:
        yield {"type": "divider"}
        yield _words(f"*{say(language, Sentence.HOME_QUESTIONS)}*")
        yield from map(_plain, overview.questions)
    yield {"type": "divider"}
    yield _words(f"*{say(language, Sentence.HOME_MEMORY)}*")
    known = (*overview.summaries[:MOST_SUMMARIES], *(f"• {fact}" for fact in overview.facts))
    yield from map(_plain, known)
    if overview.more:
        yield _words(say(language, Sentence.HOME_MORE, count=overview.more, command=COMMAND))
    if not overview.learning:
        yield _words(say(language, Sentence.HOME_OFF))
    elif not known:
        yield _words(say(language, Sentence.HOME_NOTHING))


def _view(blocks: list[Json]) -> dict[str, Json]:
    return {"type": "home", "blocks": blocks}


def _words(sentence: str) -> dict[str, Json]:
    """Return a sentence of ours, which has marks."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": sentence}}


def _plain(text: str) -> dict[str, Json]:
    """Return what somebody wrote."""
    shown = text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"
    return {"type": "section", "text": {"type": "plain_text", "text": shown.strip() or "–", "emoji": False}}
