"""`parley agent`: the embedded agent server on its own."""

from __future__ import annotations

import argparse

from app.cli.configured import configured
from app.cli.plan import embedded_line
from app.runner import run_loop


def run(arguments: argparse.Namespace) -> int:
    """Serve the LangGraph API until a signal."""
    loaded = configured(arguments.config, arguments.verbose)
    print(f"Starting the agent server: {embedded_line(loaded.settings.agent)} ...", flush=True)
    from agent.embedded.serve import serve
    from app.agents import embedded_options

    def listening(url: str) -> None:
        print(f"\nThe LangGraph API is at {url}\n  In another Parley's config.yaml, under agent:  url: {url}")
        print("  Stop with Ctrl-C; unfinished runs go on at the next start.", flush=True)

    run_loop(serve(embedded_options(loaded), arguments.host, arguments.port, listening))
    return 0
