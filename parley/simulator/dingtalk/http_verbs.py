"""What may be called over HTTP: methods of people and faults (see kit/http_control.py)."""

PEOPLE = (
    *("add_person", "add_group", "say", "say_rich", "send_file", "speak", "pass_on", "press", "act", "heard"),
    *("answer_to", "told", "failures", "lost", "inject", "redeliver", "remove_robot", "publish"),
    *("messages", "answers", "growth"),
)
SCANNING = ("scan", "decline")
FAULTS = (
    *("fail_next", "throttle_next", "deny_next", "reset_next", "slow_next", "garble_next", "frames_next"),
    *("outage", "clear"),
)
