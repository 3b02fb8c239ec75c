"""An agent that sends an invitation only after somebody approved it."""

from __future__ import annotations

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from offline_model import OfflineModel, call


@tool
def send_invitation(to: str, subject: str) -> str:
    """Send an invitation."""
    return f"The invitation to {to} is sent: {subject}"


def _script(messages: list[BaseMessage]) -> AIMessage:
    last = messages[-1]
    if isinstance(last, ToolMessage):
        return AIMessage("Nothing was sent." if last.status == "error" else f"{last.text}.")
    guest = last.text.split("invite ", 1)[-1].strip(" .!?") if "invite " in last.text else ""
    if guest:
        return call("send_invitation", to=guest, subject="Lunch on Friday")
    return AIMessage("Write “invite Ada”, and I ask you before I send anything.")


model = OfflineModel(script=_script)  # a real one: model = "openai:gpt-5-mini"
graph = create_agent(
    model,
    tools=[send_invitation],
    middleware=[HumanInTheLoopMiddleware(interrupt_on={"send_invitation": True})],
)
