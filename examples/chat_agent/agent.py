"""A chat agent with two tools."""

from __future__ import annotations

from datetime import UTC, datetime

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from offline_model import OfflineModel, call

_ALTITUDES = {"bonn": 60, "madrid": 657, "la paz": 3_640}


@tool
def altitude(city: str) -> str:
    """Tell how many metres above the sea a city is."""
    metres = _ALTITUDES.get(city.lower())
    return f"{city} is {metres} m above the sea" if metres else f"I do not know {city}"


@tool
def today() -> str:
    """Tell today's date."""
    return f"Today is {datetime.now(UTC):%A, %d %B %Y}"


def _script(messages: list[BaseMessage]) -> AIMessage:
    last = messages[-1]
    if isinstance(last, ToolMessage):
        return AIMessage(f"{last.text}.")
    asked = last.text.lower()
    if city := next((name for name in _ALTITUDES if name in asked), ""):
        return call("altitude", city=city.title())
    if "date" in asked or "today" in asked:
        return call("today")
    return AIMessage("Ask me for the date, or how high Bonn, Madrid or La Paz is.")


model = OfflineModel(script=_script)  # a real one: model = "openai:gpt-5-mini"
graph = create_agent(model, tools=[altitude, today], system_prompt="You help with facts about cities.")
