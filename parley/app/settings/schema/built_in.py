"""The built_in section of config.yaml: the agent that answers where there is no graph."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue, field_validator

from parley.app.settings.schema.manager import parse_size
from parley.app.settings.schema.service_address import check_address
from parley.channels.kit.config import Section


class ModelSection(Section):
    """More about a model of `agent.models`: `options` go to its class in LangChain as they are.

    With `thinking`, more such options, it may be chosen a second time, thinking. `vision` says whether it
    sees pictures, where LangChain does not know that.
    """

    model: str = ""
    api_key: str = Field(default="", repr=False)
    base_url: str = ""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    thinking: dict[str, JsonValue] = Field(default_factory=dict)
    vision: bool | None = None

    _checked = field_validator("base_url")(check_address)


def thinking_choice(name: str) -> str:
    """Return the name by which people choose that a model thinks before it answers."""
    return f"{name} thinking"


class ApprovalSection(Section):
    """Patterns of names of tools: which ask a person each time, and which never do."""

    always: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class GuardrailsSection(Section):
    """Which tools may be used: by patterns of names, by a function of yours, and how often in one run.

    A loop of calls ends, of those of tools and those of the model.
    """

    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()
    policy: str = ""
    calls_per_run: int = Field(default=50, ge=0, le=10_000)
    model_calls_per_run: int = Field(default=100, ge=0, le=5_000)
    same_calls_per_run: int = Field(default=5, ge=0, le=1_000)


class McpSection(Section):
    """MCP servers: the file that names them, and by patterns of `channel:chat` who has which.

    Browsers reach this Parley at `public_url` after a sign-in, by default at the console's own address.
    """

    file: str = ""
    chats: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    timeout: float = Field(default=60.0, gt=0, le=3_600)
    public_url: str = ""

    _checked = field_validator("public_url")(check_address)


class WebSection(Section):
    """The web: pages at public addresses, and search by the SearXNG at an address."""

    fetch: bool = False
    search_url: str = ""

    _checked = field_validator("search_url")(check_address)


class WorkspaceSection(Section):
    """Files of each conversation: whether there are any, how many, and the days without use they are kept."""

    enabled: bool = False
    size: Annotated[int, BeforeValidator(parse_size), Field(ge=1_000)] = 200_000_000
    files: int = Field(default=1_000, ge=1, le=1_000_000)
    keep_days: float = Field(default=30.0, ge=0)


class SkillsSection(Section):
    """Skills: the names of those that are on, and the folder that they are in."""

    enabled: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    folder: str = Field(default="skills", min_length=1)


class SandboxSection(Section):
    """Shell commands in a conversation's files: whether there are any, and what each may use."""

    enabled: bool = False
    timeout: float = Field(default=60.0, gt=0, le=3_600)
    memory: Annotated[int, BeforeValidator(parse_size), Field(ge=16_000_000)] = 512_000_000
    processes: int = Field(default=32, ge=8, le=1_000)
    output: int = Field(default=20_000, ge=100, le=60_000)
    at_once: int = Field(default=2, ge=1, le=100)


class SubagentSection(Section):
    """An agent that tasks are handed to: what for, its instructions, patterns of its tools, and its model."""

    description: str = Field(min_length=1, max_length=1_000)
    prompt: str = Field(default="", max_length=100_000)
    tools: tuple[str, ...] = ("*",)
    model: str = ""


AgentName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]


class SubagentsSection(Section):
    """Subagents: whether there are any, how many work at once in a conversation, and for how many seconds."""

    enabled: bool = False
    most_at_once: int = Field(default=3, ge=1, le=100)
    timeout: float = Field(default=300.0, gt=0, le=86_400)
    agents: Annotated[dict[AgentName, SubagentSection], Field(max_length=50)] = Field(default_factory=dict)


class BuiltInSection(Section):
    """How the built-in agent works with `agent.model`. Sizes are tokens."""

    prompt_file: str = ""
    context_window: int = Field(default=0, ge=0, le=10_000_000)
    summarize_at: float = Field(default=0.6, ge=0.1, le=0.9)
    fallbacks: tuple[str, ...] = ()
    models: dict[str, ModelSection] = Field(default_factory=dict)
    tools: tuple[str, ...] = ()
    approval: ApprovalSection = ApprovalSection()
    guardrails: GuardrailsSection = GuardrailsSection()
    mcp: McpSection = McpSection()
    todos: bool = False
    clarification: bool = False
    titles: str = ""
    suggestions: str = ""
    web: WebSection = WebSection()
    workspace: WorkspaceSection = WorkspaceSection()
    skills: SkillsSection = SkillsSection()
    sandbox: SandboxSection = SandboxSection()
    subagents: SubagentsSection = SubagentsSection()
