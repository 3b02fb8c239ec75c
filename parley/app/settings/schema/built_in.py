"""The built_in section of config.yaml: the agent that answers where there is no graph."""

from __future__ import annotations

from pydantic import Field

from parley.channels.kit.config import Section


class BuiltInSection(Section):
    """How the built-in agent works with `agent.model`. Sizes are tokens."""

    prompt_file: str = ""
    context_window: int = Field(default=0, ge=0, le=10_000_000)
    summarize_at: float = Field(default=0.6, ge=0.1, le=0.9)
    fallbacks: tuple[str, ...] = ()
