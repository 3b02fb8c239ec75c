"""DingTalk on loopback: gateway, stream, robot, cards and files, and the people on the other side."""

from parley.simulator.dingtalk.faults import Fault, Faults, Pace
from parley.simulator.dingtalk.model import SeenMessage, Upload
from parley.simulator.dingtalk.people import People, Person
from parley.simulator.dingtalk.server import Call, DingTalkSimulator, Timing

__all__ = [
    "Call",
    "DingTalkSimulator",
    "Fault",
    "Faults",
    "Pace",
    "People",
    "Person",
    "SeenMessage",
    "Timing",
    "Upload",
]
