"""The agent of the README's picture: it looks an order up, and asks before it pays money back."""

from __future__ import annotations

import asyncio

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from offline_model import OfflineModel, call

_FOUND = """Order **4711** is lost:

| | |
|---|---|
| customer | Ada Byron |
| article | kettle, 49.90 EUR |
| parcel | last seen in Hamburg, nine days ago |

I can pay the money back now."""
_DONE = "Done: **49.90 EUR** go back to Ada, and she has an e-mail about it."


@tool
async def look_up_order(order: str) -> str:
    """Look an order up."""
    await asyncio.sleep(1.2)
    return f"order {order}: kettle, 49.90 EUR, Ada Byron; parcel lost in Hamburg"


@tool
async def refund(order: str, amount: str, customer: str) -> str:
    """Pay money back."""
    await asyncio.sleep(0.8)
    return f"{amount} paid back to {customer}"


def _script(messages: list[BaseMessage]) -> AIMessage:
    last = messages[-1]
    if not isinstance(last, ToolMessage):
        return _with("Let me look at this order.", call("look_up_order", order="4711"))
    if last.name == "look_up_order":
        return _with(_FOUND, call("refund", order="4711", amount="49.90 EUR", customer="Ada Byron"))
    return AIMessage("Nothing was paid back." if last.status == "error" else _DONE)


def _with(text: str, action: AIMessage) -> AIMessage:
    return AIMessage(text, tool_calls=action.tool_calls)


graph = create_agent(
    OfflineModel(script=_script),
    tools=[look_up_order, refund],
    middleware=[
        HumanInTheLoopMiddleware(
            interrupt_on={"refund": {"allowed_decisions": ["approve", "edit", "reject"]}}
        )
    ],
)
