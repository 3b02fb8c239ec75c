"""First set-up: platforms, the agent and the first administrator become `config.yaml` and `.env`."""
