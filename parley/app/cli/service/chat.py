"""`parley chat`: a conversation in the terminal, or one question through a pipe."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from parley.app.cli.clients.chat_client import ChatClient, NotRunning, is_failure
from parley.app.cli.load_config import load_config
from parley.app.cli.terminal_render import DelayPrinter, ReplyPrinter
from parley.app.in_process.settings import terminal_settings
from parley.app.in_process.thread import run_in_process
from parley.app.settings.load import LoadedSettings
from parley.app.storage.endpoint import server_url
from parley.app.storage.secret_files import existing_token
from parley.core.model.errors import ParleyError

_INTERRUPTED = 130  # as shells say it
_HINT = "Type a message; /help lists the commands; Ctrl-C stops an answer, Ctrl-D leaves."


def run(arguments: argparse.Namespace) -> int:
    """Say what was given, or talk until the input ends."""
    loaded = load_config(arguments.config, arguments.verbose, level="error")
    message = " ".join(arguments.message)
    if not message and not sys.stdin.isatty():
        message = sys.stdin.read().strip()
        if not message:
            raise ParleyError("there is nothing to say: the input is empty")
    with _client(loaded) as client:
        if message:
            return _exchange(client, message, _screen())
        _talk(client)
    return 0


@contextmanager
def _client(loaded: LoadedSettings) -> Iterator[ChatClient]:
    """Yield a client of the running Parley, or of one that is started for this chat."""
    console = loaded.settings.console
    with closing(ChatClient(server_url(console.host, console.port), existing_token(loaded))) as client:
        try:
            client.open()
        except NotRunning:
            pass
        else:
            yield client
            return
    if sys.stderr.isatty():
        print("No Parley is running here; starting one for this chat ...", file=sys.stderr)
    ours = terminal_settings(loaded)
    with run_in_process(ours) as url, closing(ChatClient(url, existing_token(ours))) as client:
        client.open()
        yield client


def choose_suggestion(line: str, suggested: Sequence[str]) -> str:
    """Return the suggestion that a line is the number of, any other line as it is."""
    numbers = [str(number) for number in range(1, len(suggested) + 1)]
    return suggested[numbers.index(line)] if line in numbers else line


def _talk(client: ChatClient) -> None:
    print(_HINT)
    suggested: Sequence[str] = ()
    while True:
        try:
            line = input("\nyou> ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return
        if line:
            screen, said = _screen(), choose_suggestion(line, suggested)
            suggested = ()
            try:
                _exchange(client, said, screen)
                suggested = screen.suggestions
            except ParleyError as error:
                print(f"parley: {error.user_text}", file=sys.stderr)


def _screen() -> ReplyPrinter:
    return ReplyPrinter(growing=sys.stdout.isatty())


def _exchange(client: ChatClient, text: str, screen: ReplyPrinter) -> int:
    """Say `text` and show the answer as it grows; Ctrl-C presses the stop button first, and leaves second.

    Returns the exit code: 0 with an answer, 1 where the agent gave none, 130 where it was stopped.
    """
    message = client.say(text)
    delays = DelayPrinter()
    replies = client.replies(message, delays.show)
    stopped = failed = False
    while True:
        try:
            for entry in replies:
                screen.show(entry)
                failed = failed or is_failure(entry)
            return _INTERRUPTED if stopped else int(failed)
        except KeyboardInterrupt:
            if stopped:
                raise
            stopped = True
            client.stop()
            # The generator ended with the interrupt: look again from the start, nothing is said twice.
            replies = client.replies(message, delays.show)
