"""Telegram on loopback: the Bot API as the platform speaks it, and the people on the other side."""

from simulator.telegram.faults import Fault, Faults, Pace
from simulator.telegram.model import SeenDraft, SeenMessage, Upload
from simulator.telegram.people import People, Person
from simulator.telegram.server import Call, TelegramSimulator

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
