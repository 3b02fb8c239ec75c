"""The names of a channel's queues.

Each channel has its own, so that what waits for a channel that is off simply goes on waiting.
"""

from parley.core.types import Conversation

TURNS, COMMANDS, KNOCKS, QUESTIONS = "turns", "commands", "knocks", "questions"
"""What the names begin with; a channel's follows."""

CLEARING = "clearing"
"""The queue of conversations that their person deleted."""

LEARNING = "memory"
"""The queue of turns that wait to be learned from."""


def turns(conversation: Conversation) -> str:
    """Where the conversation's messages for the agent wait."""
    return turns_of(conversation.channel)


def turns_of(channel: str) -> str:
    """The queue of a channel's messages for the agent."""
    return f"{TURNS}/{channel}"


def commands_of(channel: str) -> str:
    """The queue of what Parley answers itself; it never stands behind a run."""
    return f"{COMMANDS}/{channel}"


def knocks_of(channel: str) -> str:
    """The queue of messages that may not just wait until the run before them is over."""
    return f"{KNOCKS}/{channel}"
