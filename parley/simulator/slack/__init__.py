"""Slack on loopback: Web API and Socket Mode as the platform speaks them, and everybody else."""

from parley.simulator.slack.faults import Fault, Faults
from parley.simulator.slack.model import SeenMessage, SeenModal, Timing, Upload
from parley.simulator.slack.people import People, Person
from parley.simulator.slack.server import Call, SlackSimulator

__all__ = [
    "Call",
    "Fault",
    "Faults",
    "People",
    "Person",
    "SeenMessage",
    "SeenModal",
    "SlackSimulator",
    "Timing",
    "Upload",
]
