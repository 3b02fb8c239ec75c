"""The demonstration: LangChain's agent without a model, which answers where nobody configured one."""

from __future__ import annotations

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware

from parley.server.default_agent.remembered_facts import RememberedFacts
from parley.server.default_agent.run_context import RunContext
from parley.server.demo.model import DemoModel
from parley.server.demo.tools import demo_tools
from parley.server.graphs.registry import Graph


def demo_graph(word_delay: float) -> Graph:
    """Return the graph; it waits for `word_delay` seconds between two words."""
    approval = HumanInTheLoopMiddleware(
        interrupt_on={"send_email": {"allowed_decisions": ["approve", "edit", "reject"]}},
        description_prefix="This e-mail needs your approval (demonstration: nothing will be sent)",
    )
    return create_agent(
        DemoModel(word_delay=word_delay),
        demo_tools(),
        middleware=[approval, RememberedFacts()],
        context_schema=RunContext,
    )
