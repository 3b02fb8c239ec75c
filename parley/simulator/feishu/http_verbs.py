"""What may be called over HTTP: methods of people and faults (see kit/http_control.py)."""

PEOPLE = (
    "activate",
    "understand",
    *("add_person", "add_group", "join", "say", "write_post", "send_file", "send_with_text", "send_raw"),
    *(
        "recall",
        "press",
        "told",
        "failures",
        "add_bot",
        "enter",
        "remove_bot",
        "inject",
        "redeliver",
        "messages",
        "answers",
    ),
    *("history", "unacknowledged", "lost"),
)
SCANNING = ("scan", "decline", "grant")
FAULTS = ("refuse_next", "limit_next", "reset_next", "slow_next", "garble_next", "outage", "clear")
