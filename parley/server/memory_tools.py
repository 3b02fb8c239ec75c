"""The memory tools of the built-in agent: LangChain tools that carry the run's own token."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.types import interrupt

from parley.core.model.types import Json
from parley.core.ports.memory.tools import (
    TOOLS_KEY,
    Consent,
    MemoryTools,
    ToolRefused,
    ToolSpec,
    tool_specs,
)
from parley.core.texts import Sentence, language_of, say

_FORGET = "memory_delete"


def memory_tools(tools: MemoryTools) -> list[BaseTool]:
    """Return the tools for an agent whose runs have a token in `configurable`."""
    return [_tool(spec, tools) for spec in tool_specs(tools.categories)]


def _tool(spec: ToolSpec, tools: MemoryTools) -> BaseTool:
    async def call(config: RunnableConfig, **arguments: Any) -> str:  # noqa: ANN401 - whatever a model writes
        token = _token(config)
        try:
            if spec.name == _FORGET and tools.takes_consent:
                found = await _forget(tools, token, arguments, config)
            else:
                found = await tools.call(token, spec.name, arguments)
        except ToolRefused as error:
            return json.dumps({"error": error.user_text})
        return json.dumps(found, ensure_ascii=False)

    return StructuredTool(
        name=spec.name, description=spec.description, args_schema=dict(spec.schema), coroutine=call
    )


async def _forget(
    tools: MemoryTools, token: str, arguments: Mapping[str, Any], config: RunnableConfig
) -> Mapping[str, Json]:
    """Ask the person, with the fact's own words, and forget it once they agree.

    The run pauses here, and the tool runs again from its beginning when they decided.
    """
    fact = (await tools.call(token, _FORGET, arguments, consent=Consent.BY_CALLER))["asked"]
    assert isinstance(fact, dict)  # noqa: S101 - what the tool returns
    answer = interrupt(
        {
            "action_requests": [
                {
                    "name": "forget",
                    "args": {"fact": fact["content"]},
                    "description": f"{_question(config)}\n\n{fact['content']}",
                }
            ],
            "review_configs": [{"action_name": "forget", "allowed_decisions": ["approve", "reject"]}],
        }
    )
    if not _approved(answer):
        return {"forgotten": 0, "note": "The person wants it to be kept."}
    return await tools.call(token, _FORGET, arguments, consent=Consent.GIVEN)


def _question(config: RunnableConfig) -> str:
    """Return what the person is asked, in their language."""
    identity = config.get("configurable", {}).get("parley")
    language = str(identity.get("language", "")) if isinstance(identity, Mapping) else ""
    return say(language_of(language), Sentence.MEMORY_TOOL_FORGET)


def _approved(answer: object) -> bool:
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    first = decisions[0] if isinstance(decisions, list) and decisions else None
    return isinstance(first, Mapping) and first.get("type") == "approve"


def _token(config: RunnableConfig) -> str:
    given = config.get("configurable", {}).get(TOOLS_KEY)
    token = given.get("token") if isinstance(given, Mapping) else None
    return token if isinstance(token, str) else ""
