"""DingTalk on loopback: gateway, stream, robot, cards and files, and the people on the other side."""

from parley.simulator.dingtalk.events.gateway import DingTalkSimulatorTiming
from parley.simulator.dingtalk.faults import DingTalkFault, DingTalkFaults, DingTalkRateLimits
from parley.simulator.dingtalk.model import DingTalkUpload, SeenDingTalkMessage
from parley.simulator.dingtalk.people import SimulatedDingTalkPeople, SimulatedDingTalkPerson
from parley.simulator.dingtalk.server import DingTalkCall, DingTalkSimulator

__all__ = [
    "DingTalkCall",
    "DingTalkFault",
    "DingTalkFaults",
    "DingTalkRateLimits",
    "DingTalkSimulator",
    "DingTalkSimulatorTiming",
    "DingTalkUpload",
    "SeenDingTalkMessage",
    "SimulatedDingTalkPeople",
    "SimulatedDingTalkPerson",
]
