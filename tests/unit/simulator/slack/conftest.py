"""The simulated Slack with one person."""

from tests.unit.channels.slack.conftest import world

__all__ = ["world"]
