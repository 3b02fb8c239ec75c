"""What a client asks of a run, checked before anything is done."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from langgraph.types import Command, Send
from pydantic import BaseModel, ConfigDict, FailFast, Field, field_validator, model_validator

from parley.core.model.types import JsonObject
from parley.server.authentication import configurable_values, without_identity
from parley.server.http_errors import Problem
from parley.server.json_bodies import Strings, parse_model, validate_model

MultitaskStrategy: TypeAlias = Literal["reject", "enqueue", "interrupt", "rollback"]
CancelAction: TypeAlias = Literal["interrupt", "rollback"]
_OfGraphs: TypeAlias = Literal["values", "updates", "messages", "custom", "checkpoints", "tasks", "debug"]
StreamMode: TypeAlias = _OfGraphs | Literal["messages-tuple", "events", "tools", "lifecycle"]
"""`tools` and `lifecycle` are asked for by new clients, and no graph in Python has them: nothing comes."""
NodeNames: TypeAlias = Literal["*"] | Strings | None

_YEAR = 366 * 86_400


class _Asked(BaseModel):
    """Read from JSON; keys that we do not know are other servers' matters."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class CommandPayload(_Asked):
    """`command`: an answer to interrupts, an update of the state, or nodes to go to."""

    resume: Any = None
    update: Any = None
    goto: Any = None

    def build(self) -> Command[Any]:
        """As the library takes it."""
        return Command(resume=self.resume, update=self.update, goto=_goto(self.goto))


class ConfigPayload(_Asked):
    """`config`: what the library calls a RunnableConfig, as far as clients may set it."""

    configurable: dict[str, Any] = Field(default_factory=dict)
    tags: Strings = Field(default_factory=list)
    recursion_limit: int = Field(default=25, ge=1, le=10_000)
    metadata: dict[str, Any] = Field(default_factory=dict)

    def over(self, base: ConfigPayload) -> ConfigPayload:
        """This configuration with what `base` has beyond it."""
        steps = self if "recursion_limit" in self.model_fields_set else base
        return ConfigPayload(
            configurable={**base.configurable, **self.configurable},
            tags=[*base.tags, *self.tags],
            recursion_limit=steps.recursion_limit,
            metadata={**base.metadata, **self.metadata},
        )


class CheckpointPayload(_Asked):
    """`checkpoint`: a place in a thread's history."""

    checkpoint_id: str | None = None
    checkpoint_ns: str = ""


class RunPayload(_Asked):
    """The body of every request that makes a run."""

    assistant_id: str
    input: Any = None
    command: CommandPayload | None = None
    config: ConfigPayload = Field(default_factory=ConfigPayload)
    context: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)
    stream_mode: Annotated[list[StreamMode], FailFast()] = Field(default=["values"], max_length=100)
    stream_subgraphs: bool = False
    interrupt_before: NodeNames = None
    interrupt_after: NodeNames = None
    multitask_strategy: MultitaskStrategy = "enqueue"
    if_not_exists: Literal["create", "reject"] = "reject"
    on_disconnect: Literal["cancel", "continue"] = "continue"
    on_completion: Literal["delete", "keep"] = "delete"
    checkpoint: CheckpointPayload | None = None
    checkpoint_id: str | None = None
    # A tool that is called before the model's decision is saved would be decided on, and called, again.
    durability: Literal["sync", "async", "exit"] = "sync"
    webhook: str | None = Field(default=None, max_length=4_000)
    after_seconds: float | None = Field(default=None, ge=0, le=_YEAR)

    @field_validator("stream_mode", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    @field_validator("config", mode="before")
    @classmethod
    def _none_is_default(cls, value: object) -> object:
        return {} if value is None else value

    @field_validator("context", mode="after")
    @classmethod
    def _nobody_pretends(cls, value: dict[str, Any]) -> dict[str, Any]:
        return without_identity(value)

    @model_validator(mode="after")
    def _one_place_for_context(self) -> RunPayload:
        if self.context and self.configurable:
            raise Problem(400, "Cannot specify both configurable and context. Use context.")
        return self

    @property
    def configurable(self) -> dict[str, Any]:
        """What the client set in `config.configurable`, without what only the server may set."""
        return configurable_values(self.config.configurable)

    def with_defaults(self, config: JsonObject, context: JsonObject) -> RunPayload:
        """This request with what its assistant sets beneath it. Raises Problem."""
        if not config and not context:
            return self
        merged = self.config.over(validate_model(ConfigPayload, config))
        if not context and not self.context:
            return self.model_copy(update={"config": merged})
        # There is one place for both: whoever sets a context reads it from there.
        together = {**merged.configurable, **context, **self.config.configurable, **self.context}
        alone = merged.model_copy(update={"configurable": {}})
        return self.model_copy(update={"config": alone, "context": without_identity(together)})

    @property
    def start(self) -> dict[str, str]:
        """Where in the thread's history to start, for `configurable`; empty is its newest state."""
        checkpoint = self.checkpoint or CheckpointPayload(checkpoint_id=self.checkpoint_id)
        if not checkpoint.checkpoint_id:
            return {}
        return {"checkpoint_id": checkpoint.checkpoint_id, "checkpoint_ns": checkpoint.checkpoint_ns}


def run_value(thread_id: str | None, assistant_id: str, payload: RunPayload) -> dict[str, Any]:
    """Return a run as handlers see it: the SDK's `RunsCreate`."""
    kwargs = payload.model_dump(include={"input", "command", "context", "config", "webhook"})
    return {
        "thread_id": UUID(thread_id) if thread_id else None,
        "assistant_id": UUID(assistant_id),
        "run_id": None,
        "status": "pending",
        "metadata": dict(payload.metadata),
        "prevent_insert_if_inflight": payload.multitask_strategy == "reject",
        "multitask_strategy": payload.multitask_strategy,
        "if_not_exists": payload.if_not_exists,
        "after_seconds": payload.after_seconds or 0,
        "kwargs": kwargs,
    }


def parse_run_payload(body: bytes) -> RunPayload:
    """Read a run's request. Raises Problem."""
    return parse_model(RunPayload, body)


def _goto(value: object) -> list[Send | str]:
    steps = value if isinstance(value, list) else [] if value is None else [value]
    return [Send(step["node"], step.get("input")) if isinstance(step, dict) else str(step) for step in steps]
