"""`parley agent`: the embedded agent server on its own."""

from __future__ import annotations

import argparse
import logging
from dataclasses import replace

from app.cli.configured import configured
from app.cli.plan import embedded_line
from app.exposure import exposed
from app.runner import run_loop
from app.tokens import agent_key
from console.options import Timeouts, is_loopback

log = logging.getLogger(__name__)


def run(arguments: argparse.Namespace) -> int:
    """Serve the LangGraph API until a signal."""
    loaded = configured(arguments.config, arguments.verbose)
    for each in exposed(loaded).remarks:
        log.warning("%s", each.show(loaded.origin))
    print(f"Starting the agent server: {embedded_line(loaded.settings.agent)} ...", flush=True)
    from agent.embedded.serve import serve
    from app.agents import embedded_options
    from console.protocol import timed_http

    options = embedded_options(loaded)
    # Others who could reach it would have to be given the key in any case: it is chosen, not made.
    made = not options.api_key and is_loopback(arguments.host)
    if made:
        options = replace(options, api_key=agent_key(loaded))

    def listening(url: str) -> None:
        print(f"\nThe LangGraph API is at {url}\n  In another Parley's config.yaml, under agent:")
        print(f"    url: {url}\n    api_key: {options.api_key if made else 'as agent.api_key here'}")
        print("  Stop with Ctrl-C; unfinished runs go on at the next start.", flush=True)

    run_loop(serve(options, arguments.host, arguments.port, listening, timed_http(Timeouts())))
    return 0
