"""What may be called over HTTP: methods of people, faults and the simulator (see kit/http_control.py)."""

PEOPLE = (
    *("add_person", "add_bot", "add_channel", "say", "send_files", "edit", "delete", "press", "stop"),
    "speak",
    *("restrict_scopes", "inject", "inject_event", "redeliver", "messages", "answers", "growth", "status"),
    *("close", "profile", "session", "unacknowledged", "told", "modal", "submit", "join"),
    *("open_home", "look_at", "title", "prompts", "unsubscribe", "command", "use_shortcut", "home"),
)
FAULTS = ("fail_next", "reset_next", "slow_next", "garble_next", "outage", "clear")
ITSELF = ("disconnect", "drop_connections", "post_to", "send_frame")
