"""Feishu/Lark on loopback: the open platform as it speaks, and the people on the other side."""

from parley.simulator.feishu.faults import Fault, Faults, Pace, Timing
from parley.simulator.feishu.model import Call, SeenMessage, Upload
from parley.simulator.feishu.people import People, Person
from parley.simulator.feishu.server import SHOWING, FeishuSimulator

__all__ = [
    "SHOWING",
    "Call",
    "Fault",
    "Faults",
    "FeishuSimulator",
    "Pace",
    "People",
    "Person",
    "SeenMessage",
    "Timing",
    "Upload",
]
