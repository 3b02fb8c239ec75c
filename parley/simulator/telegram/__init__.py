"""Telegram on loopback: the Bot API as the platform speaks it, and the people on the other side."""

from parley.simulator.telegram.faults import TelegramFault, TelegramFaults, TelegramRateLimits
from parley.simulator.telegram.model import SeenDraft, SeenTelegramMessage, TelegramUpload
from parley.simulator.telegram.people import SimulatedTelegramPeople, SimulatedTelegramPerson
from parley.simulator.telegram.server import TelegramCall, TelegramSimulator

__all__ = [
    "SeenDraft",
    "SeenTelegramMessage",
    "SimulatedTelegramPeople",
    "SimulatedTelegramPerson",
    "TelegramCall",
    "TelegramFault",
    "TelegramFaults",
    "TelegramRateLimits",
    "TelegramSimulator",
    "TelegramUpload",
]
