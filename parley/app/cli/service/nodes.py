"""`parley nodes`: who works on this store, and who holds what."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict

from parley.app.cli.load_config import load_config
from parley.app.durations import format_duration
from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import open_store
from parley.app.supervision.cluster import TURNS, parse_node_report
from parley.store.nodes import Node


def run(arguments: argparse.Namespace) -> int:
    """Print a table, or one JSON object a line; no node is disturbed."""
    loaded = load_config(arguments.config, arguments.verbose, level="warning")
    if loaded.settings.store.embedded:
        print("At most one node: the store is a file. More need store.url: postgresql://... (docs/nodes.md)")
        return 0
    nodes, now = run_loop(_nodes(loaded))
    if arguments.json:
        for node in nodes:
            print(json.dumps(asdict(node) | {"report": parse_node_report(node).model_dump()}))
    elif nodes:
        _print(nodes, loaded.settings.store.lease, now)
    else:
        print("No node uses this store.")
    return 0


async def _nodes(loaded: LoadedSettings) -> tuple[Sequence[Node], float]:
    """Return the nodes, and the time by the clock that they go by."""
    async with open_store(loaded) as store:
        return await store.nodes.list_nodes(TURNS), store.nodes.shared_clock(time.time)()


def _print(nodes: Sequence[Node], lease: float, now: float) -> None:
    table = [("NODE", "UP", "SEEN", "TURNS", "HOLDS ALONE", "CHANNELS")]
    table += [
        (
            node.name,
            format_duration(now - node.since),
            format_duration(lease - node.left) if node.alive else f"gone {format_duration(-node.left)}",
            str(node.lanes),
            ", ".join(node.holds) or "-",
            _channels(node),
        )
        for node in nodes
    ]
    widths = [max(len(line[column]) for line in table) for column in range(5)]
    for line in table:
        print("  ".join([*(c.ljust(w) for c, w in zip(line, widths, strict=False)), line[5]]).rstrip())


def _channels(node: Node) -> str:
    said = parse_node_report(node)
    clock = (said.clock,) if said.clock else ()
    return ", ".join((*(f"{name} {health}" for name, health in said.channels.items()), *clock)) or "-"
