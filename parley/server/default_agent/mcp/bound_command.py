"""Runs a command that ends with the process that started it, also when that is killed.

`python bound_command.py PARENT COMMAND ARGUMENT...`: the server of a killed Parley sees the end of its input,
and may ignore it. This process watches PARENT, and ends its own process group, in which the command is with
all that it starts. PR_SET_PDEATHSIG would end the command alone, and with a thread instead of the process.
Nothing of Parley is imported here.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

_GRACE = 2.0
"""Seconds after the end of its input in which a server may end by itself, as long as the library gives it."""
_PAUSE = 1.0
_NOT_STARTED = 127


def main(parent: int, command: list[str]) -> int:
    """Run the command; return its exit code."""
    with suppress(PermissionError):  # It leads a group already.
        os.setsid()
    # What ends the group is for the command to obey. It would inherit an ignored signal.
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, lambda *_: None)
    try:
        child = subprocess.Popen(command)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return _NOT_STARTED
    # Both ends of the conversation see at once when the command has closed it.
    os.close(sys.stdin.fileno())
    os.close(sys.stdout.fileno())
    watch = threading.Thread(target=_end_with, args=(parent,), daemon=True)
    watch.start()
    code = child.wait()
    if os.getppid() != parent:
        watch.join()  # It ends what the command has left.
    return code if code >= 0 else 128 - code


def _end_with(parent: int) -> None:
    """End this process group once the parent has ended."""
    watched = []
    with suppress(AttributeError, OSError):  # Other systems than Linux; a parent that has ended.
        watched.append(os.pidfd_open(parent))
    while os.getppid() == parent:
        select.select(watched, [], [], None if watched else _PAUSE)
    time.sleep(_GRACE)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    # Nothing is left to flush: standard output belongs to the command.
    os._exit(main(int(sys.argv[1]), sys.argv[2:]))
