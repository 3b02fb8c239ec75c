"""What the embedded server is told at its start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from parley.core.model.types import Json
from parley.core.ports.memory.tools import NO_MEMORY_TOOLS, MemoryTools
from parley.server.graphs.projects import NO_PROJECT, Project
from parley.server.sandbox.limits import USUAL_LIMITS, CommandLimits
from parley.server.sandbox.record import RecordCommand, record_nothing
from parley.server.storage.interface import PostgresPlace
from parley.server.storage.store_index import StoreIndex, no_index

if TYPE_CHECKING:  # what is off loads nothing
    from parley.server.accounts.sign_ins import SignIns
    from parley.server.sandbox.isolation.interface import Isolation
    from parley.server.workspace.workspaces import Workspaces

DEFAULT_GRAPH = "agent"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """A chat model that the default graph may use.

    `name` is what a person chooses it by; `model` is `provider:model` as `init_chat_model` takes it.
    The base URL and key go to the provider as they are; empty leaves the provider's own default.
    `timeout` is in seconds, for one call. `report_tokens` asks the server at the base URL for token counts.
    `more` goes to the model's class in LangChain as it is. `vision` says whether it sees pictures, None for
    what its profile says.
    """

    name: str
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = 120.0
    max_retries: int = 2
    report_tokens: bool = False
    more: Mapping[str, Json] = field(default_factory=dict)
    vision: bool | None = None


@dataclass(frozen=True, slots=True)
class ToolRules:
    """Which tools the default agent may use, and which of them ask a person first.

    `allow`, `deny`, `always_ask` and `never_ask` are patterns of their names. A tool that is in neither of
    the last two asks unless it says of itself that it only reads. `policy` is the import path of a function
    that is asked before each call, "" for none. A run makes at most `calls_per_run` calls, 0 for any number,
    and at most `model_calls_per_run` of its model. It ends when the same call has had the same result
    `same_calls_per_run` times, 0 for never.
    """

    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()
    always_ask: tuple[str, ...] = ()
    never_ask: tuple[str, ...] = ()
    policy: str = ""
    calls_per_run: int = 50
    model_calls_per_run: int = 100
    same_calls_per_run: int = 5


@dataclass(frozen=True, slots=True)
class McpOptions:
    """Where MCP servers are named, and which chats have which.

    `chats` maps patterns of `channel:chat` to patterns of servers; empty: all chats have all. A call of a
    tool may take `timeout` seconds. `environ` has the values of variables in the file. `sign_ins` are
    those of people to servers with accounts; None where no browser can return to.
    """

    file: Path
    chats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    timeout: float = 60.0
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    sign_ins: SignIns | None = None


ReadPage: TypeAlias = Callable[[str], Awaitable[tuple[str, bool]]]
"""Returns the text at a public address, and whether there is more."""


@dataclass(frozen=True, slots=True)
class WebOptions:
    """The web, where it is used: how pages are read, and the SearXNG that is searched with."""

    read_page: ReadPage | None = None
    search_url: str = ""


@dataclass(frozen=True, slots=True)
class SkillOptions:
    """The skills that are on: their folder, and names in it."""

    folder: Path
    names: tuple[str, ...]


GENERAL_PURPOSE = "general-purpose"
"""The subagent that is there without being configured."""


@dataclass(frozen=True, slots=True)
class SubagentOptions:
    """An agent that the default agent hands tasks to.

    `prompt` has its instructions, "" for our own; `tools` are patterns of the names of those that it may use,
    `model` is the name of its model, "" for that of the run.
    """

    name: str
    description: str
    prompt: str = ""
    tools: tuple[str, ...] = ("*",)
    model: str = ""


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """Tasks for subagents: one for all purposes and `agents`.

    A conversation has `most_at_once` working, each for at most `timeout` seconds.
    """

    agents: tuple[SubagentOptions, ...] = ()
    most_at_once: int = 3
    timeout: float = 300.0


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """Shell commands in workspaces: what isolates them, what each may use, and what keeps who ran it."""

    isolation: Isolation
    limits: CommandLimits = USUAL_LIMITS
    record: RecordCommand = record_nothing


@dataclass(frozen=True, slots=True)
class DefaultAgentOptions:
    """How the default agent works with its models.

    `prompt_file` has its instructions, None for our own. `context_window` is what its models read at once, in
    tokens, 0 for what their profiles say; older messages become a summary when a conversation fills the share
    `summarize_at` of it. `fallbacks` are names of models that are tried in turn when the chosen one fails.
    `tools` are import paths of functions and LangChain tools; `rules` are for these and all from outside.
    With `todos` it keeps a list of tasks, which people see; with `clarification` it asks them questions.
    The model called `titles` names conversations, and that called `suggestions` says what a person may say
    next, "" for none.
    With `workspaces` it has a folder of files for each conversation, and with `commands` runs commands there.
    With `skills` it reads instructions, with `tasks` it hands tasks to subagents.
    """

    prompt_file: Path | None = None
    context_window: int = 0
    summarize_at: float = 0.6
    fallbacks: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    rules: ToolRules = ToolRules()
    mcp: McpOptions | None = None
    todos: bool = False
    web: WebOptions = WebOptions()
    clarification: bool = False
    titles: str = ""
    suggestions: str = ""
    workspaces: Workspaces | None = None
    skills: SkillOptions | None = None
    commands: CommandOptions | None = None
    tasks: TaskOptions | None = None

    @property
    def runs_code(self) -> bool:
        """Whether code of users runs in it, which may block."""
        return bool(self.tools or self.rules.policy)


OUR_WAY = DefaultAgentOptions()
"""How it works with them unless somebody says otherwise."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Bounds of memory and disk. Sizes are bytes, times are seconds.

    A run keeps at most `events` events and `event_bytes` of them for those who join it, until
    `event_ttl` after its end; all finished runs together keep at most `finished_bytes`. A thread keeps
    its newest `checkpoints`; a finished run's row is kept for `run_ttl`. A run that was cut off by
    `attempts` crashes is given up; the later of these attempts have their first `probation` seconds to
    themselves, and wait for a process that has lived for a while. A request's body may have `body` bytes.
    Who takes nothing of a stream for `stalled` seconds is left.
    Nodes that block, as plain functions do, run on up to `threads` threads: fewer, and one person's slow
    tool would hold up all.
    """

    events: int = 20_000
    event_bytes: int = 8 * 1024 * 1024
    event_ttl: float = 300.0
    finished_bytes: int = 64 * 1024 * 1024
    checkpoints: int = 30
    run_ttl: float = 7 * 86_400.0
    attempts: int = 10
    probation: float = 5.0
    body: int = 128 * 1024 * 1024
    threads: int = 128
    stalled: float = 120.0


class WebhookPort(Protocol):
    """Posts to addresses that clients give, which may be anybody's."""

    def refusal(self, url: str) -> str:
        """Return why an address is never asked, "" for one that may be."""
        ...

    async def post(self, url: str, body: bytes, number: str) -> str:
        """Post JSON under a number that tells a repetition; returns why it was not taken, "" if it was."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddedOptions:
    """All of the server's settings.

    `graphs` maps a name to a graph object, a factory, `module:attribute` or `path.py:attribute`, which are
    found in the folders of `project`; without
    any, the default graph serves as `agent`, on `models` (the first is used unless the run's context
    names another in `model_name`), or on the offline demonstration model when there are none.
    `word_delay` is the demonstration's pause between words. `heartbeat` is how long a stream may be
    silent. `api_key`, where set, must come with every request as `x-api-key`; on TCP there has to be one.
    `memory_tools` are those of the default graph. Pages of `cors_origins` may use the server from browsers,
    "*" for pages from anywhere. `auth` is where an `Auth` of the SDK is, which takes
    the place of the key. `webhooks` posts to the addresses that runs name, None for nobody.
    `store_index` is called at the start, and makes what finds items of the store by meaning. With `postgres`
    the state is there, for all servers that share it, and not in the file `database`.
    """

    database: Path
    graphs: Mapping[str, object] = field(default_factory=dict)
    models: tuple[ModelOptions, ...] = ()
    default_agent: DefaultAgentOptions = OUR_WAY
    api_key: str = field(default="", repr=False)
    word_delay: float = 0.03
    heartbeat: float = 5.0
    limits: ServerLimits = ServerLimits()
    project: Project = NO_PROJECT
    memory_tools: MemoryTools = NO_MEMORY_TOOLS
    cors_origins: tuple[str, ...] = ()
    auth: str = ""
    webhooks: WebhookPort | None = None
    store_index: Callable[[], StoreIndex | None] = no_index
    postgres: PostgresPlace | None = None
