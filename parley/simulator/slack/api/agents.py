"""What is for agents: sessions, status lines, titles and suggested prompts, as Slack's reference has them."""

from __future__ import annotations

import time

from parley.simulator.kit.json_values import JsonObject, as_object
from parley.simulator.kit.limits import load_limits
from parley.simulator.slack.api.methods import Method
from parley.simulator.slack.api.params import SlackParams
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import SlackChat
from parley.simulator.slack.world import SlackWorld

SESSIONS = frozenset({"active", "processing", "suspended", "closed"})
STOPPED = "agent_session_stopped"
_LIMITS = load_limits("slack")
_MOST_TITLE = _LIMITS["session_title"].whole
_MOST_PROMPTS = _LIMITS["suggested_prompts"].whole
_MOST_LOADING = _LIMITS["loading_messages"].whole


def set_session(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Set what an agent is about in a thread; "processing" shows people a stop button.

    docs.slack.dev/reference/methods/agents.sessions.setStatus: for apps that are declared as agents, with
    the scope chat:write; a title counts for a session that begins. Its state goes away by no other message.
    """
    chat, thread = _thread(world, params)
    status, title = params.needed("status"), params.text("title")
    if status not in SESSIONS or len(title) > _MOST_TITLE:
        raise SlackErrorResponse("invalid_arguments")
    if world.experience == "plain":
        raise SlackErrorResponse("not_authorized")
    if title and thread not in chat.sessions:
        chat.titles[thread] = title
    chat.sessions[thread] = status
    world.touch()
    answer: JsonObject = {"status": status, "agent_status": status, "title": chat.titles.get(thread, "")}
    # docs.slack.dev/reference/events/agent_session_stopped
    missing = status == "processing" and STOPPED in world.unsubscribed
    return answer | ({"warning": f"missing_{STOPPED}_event_subscription"} if missing else {})


def rename_session(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Name a session; only one that a status began (agentconnect-md/agentconnect#1600, on the live API)."""
    chat, thread = _thread(world, params)
    title = params.needed("title")
    if len(title) > _MOST_TITLE:
        raise SlackErrorResponse("invalid_arguments")
    if thread not in chat.sessions:
        raise SlackErrorResponse("not_authorized")
    chat.titles[thread] = title
    world.touch()
    return {"title": title}


def set_status(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Set the line under a thread that says what the app is about, for two minutes.

    docs.slack.dev/reference/methods/assistant.threads.setStatus. That a message of the app takes it away is
    not relied on: it does not always (NousResearch/hermes-agent#11497).
    """
    chat, thread = _thread(world, params)
    if len(params.array("loading_messages")) > _MOST_LOADING:
        raise SlackErrorResponse("invalid_arguments")
    chat.statuses.append((time.monotonic(), thread, params.text("status")))
    world.touch()
    return {}


def set_title(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Name a chat of the assistant's panel."""
    chat, thread = _thread(world, params)
    chat.titles[thread] = params.needed("title")
    world.touch()
    return {}


def set_prompts(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Suggest prompts: in a chat of the panel, or above an agent's chats.

    docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts: with a thread an agent's call
    fails silently. Without one an app of the panel gets not_agent_app (openclaw/openclaw#136510, live).
    """
    chat, thread = world.chat_for_bot(params.needed("channel_id")), params.text("thread_ts")
    given = [as_object(each) for each in params.array("prompts")]
    labels = tuple(str(each.get("title") or "") for each in given)
    if (
        not 0 < len(given) <= _MOST_PROMPTS
        or not all(labels)
        or not all(each.get("message") for each in given)
    ):
        raise SlackErrorResponse("invalid_arguments")
    if not thread and world.experience != "agent":
        raise SlackErrorResponse("not_agent_app")
    if thread and thread not in world.messages[chat.id]:
        raise SlackErrorResponse("invalid_thread_ts")
    if not thread or world.experience != "agent":
        chat.prompts[thread] = labels
    world.touch()
    return {}


def _thread(world: SlackWorld, params: SlackParams) -> tuple[SlackChat, str]:
    chat = world.chat_for_bot(params.needed("channel_id"))
    thread = params.needed("thread_ts")
    if thread not in world.messages[chat.id]:
        raise SlackErrorResponse("invalid_thread_ts")
    return chat, thread


METHODS: dict[str, tuple[Method, str]] = {
    "agents.sessions.rename": (rename_session, "chat:write"),
    "agents.sessions.setStatus": (set_session, "chat:write"),
    "assistant.threads.setStatus": (set_status, "chat:write"),
    "assistant.threads.setSuggestedPrompts": (set_prompts, "assistant:write"),
    "assistant.threads.setTitle": (set_title, "assistant:write"),
}
"""Each with the scope that it needs."""
