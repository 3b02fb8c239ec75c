"""Telegram on loopback: the Bot API as the platform speaks it, and the people on the other side."""

from parley.simulator.telegram.faults import Fault, Faults, Pace
from parley.simulator.telegram.model import SeenDraft, SeenMessage, Upload
from parley.simulator.telegram.people import People, Person
from parley.simulator.telegram.server import Call, TelegramSimulator

__all__ = [
    "Call",
    "Fault",
    "Faults",
    "Pace",
    "People",
    "Person",
    "SeenDraft",
    "SeenMessage",
    "TelegramSimulator",
    "Upload",
]
