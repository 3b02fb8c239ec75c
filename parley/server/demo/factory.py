"""The demonstration's graph, made with its first use."""

from __future__ import annotations

import asyncio

from parley.server.graphs.registry import Graph


class DemoGraphFactory:
    """Loads LangChain's agent, a tenth of a second and 5 MB, not before the demonstration answers."""

    def __init__(self, word_delay: float) -> None:
        """`word_delay` is how many seconds it waits between two words."""
        self._word_delay = word_delay
        self._making = asyncio.Lock()
        self._made: Graph | None = None

    async def __call__(self) -> Graph:
        """Return the graph, the same each time."""
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
        return self._made

    def _make(self) -> Graph:
        from parley.server.demo.graph import demo_graph

        return demo_graph(self._word_delay)
