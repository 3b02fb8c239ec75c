"""What may be called over HTTP: methods of people and faults (see kit/http_control.py)."""

PEOPLE = (
    *("add_person", "add_group", "add_topic", "say", "send_file", "send_album", "edit", "delete", "press"),
    *(
        "stop",
        "answer_to",
        "remove_bot",
        "add_bot",
        "upgrade",
        "set_privacy",
        "make_bot_admin",
        "inject",
        "redeliver",
    ),
    *("messages", "answers", "told", "drafts", "actions", "commands", "unconfirmed"),
)
FAULTS = ("fail_next", "reset_next", "slow_next", "garble_next", "outage", "clear")
