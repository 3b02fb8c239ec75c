"""`parley agent`: the embedded agent server on its own."""

from __future__ import annotations

import argparse
import logging
from dataclasses import replace

from parley.app.checks.file_permissions import find_exposed_files
from parley.app.cli.load_config import load_config
from parley.app.cli.startup_summary import embedded_line
from parley.app.extras import require_extra
from parley.app.process.event_loop import run_loop
from parley.app.process.import_blocker import UNNEEDED_PACKAGES, block_imports
from parley.app.storage.secret_files import agent_key
from parley.console.http.options import HttpTimeouts
from parley.core.network import is_loopback

log = logging.getLogger("parley.app")


def run(arguments: argparse.Namespace) -> int:
    """Serve the LangGraph API until a signal."""
    loaded = load_config(arguments.config, arguments.verbose)
    for each in find_exposed_files(loaded).remarks:
        log.warning("%s", each.show(loaded.origin))
    print(f"Set by {loaded.origin}; its data is in {loaded.data_dir}")
    print(f"Starting the agent server: {embedded_line(loaded.settings.agent)} ...", flush=True)
    with require_extra("embedded", "parley agent"), block_imports(UNNEEDED_PACKAGES):
        from parley.app.composition.embedded.options import served_options
        from parley.console.http.protocol import timed_http
        from parley.server.tcp_server import serve

    options = served_options(loaded)
    # Others who could reach it would have to be given the key in any case: it is chosen, not made.
    made = not options.api_key and not options.auth and is_loopback(arguments.host)
    if made:
        options = replace(options, api_key=agent_key(loaded))

    def listening(url: str) -> None:
        print(f"\nThe LangGraph API is at {url}\n  In another Parley's config.yaml, under agent:")
        key = options.api_key if made else "as agent.api_key here"
        shown = "headers: as your Auth wants them" if options.auth else f"api_key: {key}"
        print(f"    url: {url}\n    {shown}")
        print("  Stop with Ctrl-C; unfinished runs continue at the next start.", flush=True)

    run_loop(serve(options, arguments.host, arguments.port, listening, timed_http(HttpTimeouts())))
    return 0
