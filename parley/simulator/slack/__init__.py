"""Slack on loopback: Web API and Socket Mode as the platform speaks them, and everybody else."""

from parley.simulator.slack.agent_users import SimulatedSlackPerson
from parley.simulator.slack.faults import SlackFault, SlackFaults
from parley.simulator.slack.model import SeenModal, SeenSlackMessage, SlackSimulatorTiming, SlackUpload
from parley.simulator.slack.people import SimulatedSlackPeople
from parley.simulator.slack.server import SlackCall, SlackSimulator

__all__ = [
    "SeenModal",
    "SeenSlackMessage",
    "SimulatedSlackPeople",
    "SimulatedSlackPerson",
    "SlackCall",
    "SlackFault",
    "SlackFaults",
    "SlackSimulator",
    "SlackSimulatorTiming",
    "SlackUpload",
]
