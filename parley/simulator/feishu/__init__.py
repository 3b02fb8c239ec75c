"""Feishu/Lark on loopback: the open platform as it speaks, and the people on the other side."""

from parley.simulator.feishu.faults import FeishuFault, FeishuFaults, FeishuRateLimits, FeishuSimulatorTiming
from parley.simulator.feishu.model import FeishuCall, FeishuUpload, SeenFeishuMessage
from parley.simulator.feishu.people import SimulatedFeishuPeople, SimulatedFeishuPerson
from parley.simulator.feishu.server import SHOWING, FeishuSimulator

__all__ = [
    "SHOWING",
    "FeishuCall",
    "FeishuFault",
    "FeishuFaults",
    "FeishuRateLimits",
    "FeishuSimulator",
    "FeishuSimulatorTiming",
    "FeishuUpload",
    "SeenFeishuMessage",
    "SimulatedFeishuPeople",
    "SimulatedFeishuPerson",
]
