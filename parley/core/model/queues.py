"""The names of a channel's queues.

Each channel has its own, so that what waits for a channel that is off simply goes on waiting.
"""

from parley.core.model.address import Conversation

TURNS, COMMANDS, BUSY_SIGNALS, QUESTIONS = "turns", "commands", "knocks", "questions"
FEEDBACK, FEEDBACK_DELIVERIES = "feedback", "feedback-to"
FINAL_REWRITES = "rewrites"
"""What the names begin with; a channel's follows."""

CLEARING = "clearing"
"""The queue of conversations that their person deleted."""

LEARNING = "memory"
"""The queue of turns that wait to be learned from."""


def turn_queue_of(conversation: Conversation) -> str:
    """Return where the conversation's messages for the agent wait."""
    return turn_queue(conversation.channel)


def turn_queue(channel: str) -> str:
    """Return the queue of a channel's messages for the agent."""
    return f"{TURNS}/{channel}"


def command_queue(channel: str) -> str:
    """Return the queue of what Parley answers itself; it never stands behind a run."""
    return f"{COMMANDS}/{channel}"


def busy_signal_queue(channel: str) -> str:
    """Return the queue of messages that may not just wait until the run before them is over."""
    return f"{BUSY_SIGNALS}/{channel}"


def final_rewrite_queue(channel: str) -> str:
    """Return the queue of answers of a channel that are to be written once more."""
    return f"{FINAL_REWRITES}/{channel}"


def feedback_queue(channel: str) -> str:
    """Return the queue of what people of a channel say of answers."""
    return f"{FEEDBACK}/{channel}"


def feedback_delivery_queue(destination: str) -> str:
    """Return the queue of feedback that a service is to be told."""
    return f"{FEEDBACK_DELIVERIES}/{destination}"


_OF_CHANNELS = frozenset({TURNS, COMMANDS, BUSY_SIGNALS, QUESTIONS, FEEDBACK, FINAL_REWRITES})


def channel_of_queue(queue: str) -> str:
    """Return the channel that a queue belongs to, "" for those that belong to none."""
    kind, _, channel = queue.partition("/")
    return channel if kind in _OF_CHANNELS else ""
