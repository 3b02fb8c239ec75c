"""What the Web API has for agents: the session of a thread, its status line, titles and suggested prompts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.fields import number_or
from parley.channels.kit.http.errors import map_network_errors
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.errors import DEFAULT_PAUSE
from parley.core.model.errors import DeliveryRejected, RateLimited
from parley.core.model.types import Json, JsonObject

MOST_TITLE = 200
"""Characters of a session's title (docs.slack.dev/reference/methods/agents.sessions.setStatus)."""
MOST_LOADING = 10
"""Lines that a status line may go through (docs.slack.dev/reference/methods/assistant.threads.setStatus)."""


MOST_ROOTS = 50
"""Messages among which the thread of a command is looked for."""
RESPOND_TIMEOUT = aiohttp.ClientTimeout(total=10)


class PromptsOutcome(StrEnum):
    """What Slack made of prompts that were suggested: shown, or meant for an app of the other kind."""

    AGENT = "agent"
    OTHER = "other"


class SlackAgentApi:
    """The calls of an agent, over those of the app. Every method raises ChannelError."""

    def __init__(self, api: SlackApi) -> None:
        self._api = api

    async def set_session_status(self, place: SlackDestination, status: str, title: str = "") -> None:
        """Say what the app is about in a thread: while that is "processing", people see a stop button.

        The title is that of a session which begins now; Slack ignores it for one that is there.
        """
        await self._api.call(
            "agents.sessions.setStatus",
            lambda: self._api.client.agents_sessions_setStatus(
                channel_id=place.chat, thread_ts=place.thread, status=status, title=title[:MOST_TITLE] or None
            ),
        )

    async def set_thread_status(
        self, place: SlackDestination, text: str, loading: Sequence[str] = ()
    ) -> None:
        """Set the line under a thread that says what the app is about, "" for none.

        Slack takes it away after two minutes, or with the next message of the app there.
        """
        await self._api.call(
            "assistant.threads.setStatus",
            lambda: self._api.client.assistant_threads_setStatus(
                channel_id=place.chat,
                thread_ts=place.thread or "",
                status=text,
                loading_messages=list(loading[:MOST_LOADING]) or None,
            ),
        )

    async def set_title(self, place: SlackDestination, title: str) -> None:
        """Name a chat of the assistant's panel."""
        await self._api.call(
            "assistant.threads.setTitle",
            lambda: self._api.client.assistant_threads_setTitle(
                channel_id=place.chat, thread_ts=place.thread or "", title=title[:MOST_TITLE]
            ),
        )

    async def rename_session(self, place: SlackDestination, title: str) -> None:
        """Name an agent's session, which a status has begun."""
        await self._api.call(
            "agents.sessions.rename",
            lambda: self._api.client.agents_sessions_rename(
                channel_id=place.chat, thread_ts=place.thread, title=title[:MOST_TITLE]
            ),
        )

    async def suggest(
        self, place: SlackDestination, title: str, prompts: Sequence[tuple[str, str]]
    ) -> PromptsOutcome:
        """Offer prompts (label and words): in the panel's thread, or without one above an agent's chats.

        Without a thread that is for apps with agent_view only. Slack refuses the others with not_agent_app,
        and may answer internal_error to one that has it (seen in three workspaces: openclaw#136510).
        """

        outcome = PromptsOutcome.OTHER if place.thread else PromptsOutcome.AGENT

        async def ask() -> AsyncSlackResponse:
            nonlocal outcome
            try:
                return await self._api.client.assistant_threads_setSuggestedPrompts(
                    channel_id=place.chat,
                    thread_ts=place.thread,
                    title=title,
                    prompts=[{"title": label, "message": words} for label, words in prompts],
                )
            except SlackApiError as error:
                code = error.response.get("error")
                if place.thread or code not in ("not_agent_app", "internal_error"):
                    raise
                if code == "not_agent_app":
                    outcome = PromptsOutcome.OTHER
                response: AsyncSlackResponse = error.response
                return response

        await self._api.call("assistant.threads.setSuggestedPrompts", ask)
        return outcome

    async def publish_home(self, user: str, view: dict[str, Json]) -> None:
        """Show somebody their own home tab."""
        await self._api.call("views.publish", lambda: self._api.client.views_publish(user_id=user, view=view))

    async def newest_thread(self, chat: str, user: str, me: str) -> str:
        """Return the thread in which somebody and the app spoke last, "" where none is among the newest.

        Slack does not tell where a command was written: in threads there are none.
        """
        answer = await self._api.call(
            "conversations.history",
            lambda: self._api.client.conversations_history(channel=chat, limit=MOST_ROOTS),
        )
        found = [each for each in answer.get("messages") or [] if _speak_in(each, user, me)]
        newest = max(found, key=_last_word, default=None)
        return "" if newest is None else str(newest.get("thread_ts") or newest.get("ts") or "")

    async def respond(self, url: str, words: JsonObject) -> None:
        """Answer a command so that only who gave it sees it. The address is good for half an hour.

        Raises DeliveryRejected where it is not, or no more.
        """
        body: dict[str, Json] = {"response_type": "ephemeral", "replace_original": False, **words}
        with map_network_errors("Slack"):
            async with (
                self._api.connected() as session,
                session.post(url, json=body, allow_redirects=False, timeout=RESPOND_TIMEOUT) as answer,
            ):
                if answer.status == 429:
                    pause = number_or(answer.headers.get("Retry-After"), DEFAULT_PAUSE)
                    raise RateLimited("Slack asks for a pause", pause)
                if answer.status >= 500:
                    raise ResponseLost(f"Slack gave no answer (status {answer.status})")
                if answer.status != 200:
                    raise DeliveryRejected(f"Slack takes no answer to this command ({answer.status})")

    async def post_words(self, chat: str, thread: str, words: JsonObject) -> tuple[str, str]:
        """Post a message that is no part of an answer; return the chat it is in and its ts.

        A person's id as the chat is the DM with them.
        """
        fixed: dict[str, Json] = {"channel": chat, "unfurl_links": False, "unfurl_media": False}
        if thread:
            fixed["thread_ts"] = thread
        answer = await self._api.call(
            "chat.postMessage",
            lambda: self._api.client.api_call("chat.postMessage", json={**fixed, **words}),
        )
        return str(answer.get("channel") or chat), str(answer.get("ts") or "")


def _speak_in(root: JsonObject, user: str, me: str) -> bool:
    """Tell whether somebody and the app speak in the thread that a message begins."""
    others = root.get("reply_users")
    speakers = {root.get("user"), *(others if isinstance(others, list) else ())}
    return {user, me} <= speakers


def _last_word(root: JsonObject) -> float:
    return number_or(root.get("latest_reply") or root.get("ts"), 0.0)
