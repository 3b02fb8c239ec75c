"""The Web API as Slack answers it."""
