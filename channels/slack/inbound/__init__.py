"""From Slack: the Events API and Socket Mode, interactivity, and who may be heard."""
