"""`parley chat`: a conversation in the terminal, or one question through a pipe."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager

from parley.app.cli.clients.chat_client import ChatClient, NotRunning, is_failure
from parley.app.cli.load_config import load_config
from parley.app.cli.terminal_render import DelayPrinter, ReplyPrinter
from parley.app.in_process.settings import terminal_settings
from parley.app.in_process.thread import run_in_process
from parley.app.settings.load import LoadedSettings
from parley.app.storage.endpoint import server_url
from parley.app.storage.secret_files import existing_token
from parley.core.model.errors import ParleyError, StoreInUse

_INTERRUPTED = 130  # as shells say it
_WAITING = "Another Parley has the data and does not answer yet; waiting for it ..."
_ANY_PORT = (
    "another Parley has the data, and console.port is 0: its address is another one at every start. "
    "Set console.port to a number, or open the page at the address that it printed."
)
_PATIENCE = 15.0
_PAUSE = 0.5
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
    running = ChatClient(server_url(console.host, console.port), existing_token(loaded))
    with ExitStack() as stack, closing(running):
        yield _reached(running) or _start(stack, loaded, running)


def _reached(client: ChatClient) -> ChatClient | None:
    """Return a client whose Parley answers, None where nothing does."""
    try:
        client.open()
    except NotRunning:
        return None
    return client


def _start(stack: ExitStack, loaded: LoadedSettings, running: ChatClient) -> ChatClient:
    """Return a client of a Parley that is started until the stack is closed.

    Where another process has the data, it is just starting or ending, as a rule: it is waited for.
    Raises StoreInUse where that lasts, ParleyError where its address cannot be known.
    """
    if sys.stderr.isatty():
        print("No Parley is running here; starting one for this chat ...", file=sys.stderr)
    ours = terminal_settings(loaded)
    end = math.inf
    while True:
        try:
            url = stack.enter_context(run_in_process(ours))
        except StoreInUse as error:
            end = _waiting_until(end, loaded.settings.console.port, error)
        else:
            client = stack.enter_context(closing(ChatClient(url, existing_token(ours))))
            client.open()
            return client
        time.sleep(_PAUSE)
        if _reached(running):
            return running


def _waiting_until(end: float, port: int, error: StoreInUse) -> float:
    """Return until when another process that has the data is waited for; it is said when that begins.

    Raises StoreInUse where that is over, ParleyError where it cannot be found.
    """
    if not port:
        raise ParleyError(_ANY_PORT) from error
    if time.monotonic() > end:
        raise error
    if end == math.inf:
        print(_WAITING, file=sys.stderr, flush=True)
        return time.monotonic() + _PATIENCE
    return end


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
