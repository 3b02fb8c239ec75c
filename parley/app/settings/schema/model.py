"""All of config.yaml. The defaults in the sections are what runs when there is no file."""

from __future__ import annotations

from itertools import chain
from typing import Literal

from pydantic import Field, InstanceOf, field_validator, model_validator

from parley.app.settings.schema.agent import AgentSection
from parley.app.settings.schema.agent_server import AgentServerSection
from parley.app.settings.schema.built_in import BuiltInSection, thinking_choice
from parley.app.settings.schema.console import ConsoleSection
from parley.app.settings.schema.feedback import FeedbackSection
from parley.app.settings.schema.limits import LimitsSection
from parley.app.settings.schema.manager import ManagerSection
from parley.app.settings.schema.memory import MemorySection
from parley.app.settings.schema.questions import QuestionsSection
from parley.app.settings.schema.retention import RetentionSection, with_old_audit_days
from parley.app.settings.schema.speech import SpeechSection, TranscriptionSection
from parley.app.settings.schema.store import StoreSection
from parley.app.settings.schema.tracing import TracingSection
from parley.channels.kit.config import ChannelConfig, Section, SessionConfig

CONFIG_VERSION = 1
"""The version of config.yaml that this Parley writes; docs/upgrading.md tells what changed with each."""


class Settings(Section):
    """Everything that config.yaml says. Every channel that Parley has is in `channels`, on or off."""

    version: int = Field(default=CONFIG_VERSION, ge=1)
    data_dir: str = Field(default="data", min_length=1)
    language: Literal["auto", "en", "zh"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["text", "json"] = "text"
    store: StoreSection = StoreSection()
    agent: AgentSection = AgentSection()
    built_in: BuiltInSection = BuiltInSection()
    agent_server: AgentServerSection = AgentServerSection()
    session: SessionConfig = SessionConfig()
    manager: ManagerSection = ManagerSection()
    memory: MemorySection = MemorySection()
    questions: QuestionsSection = QuestionsSection()
    retention: RetentionSection = RetentionSection()
    limits: LimitsSection = LimitsSection()
    transcription: TranscriptionSection = TranscriptionSection()
    speech: SpeechSection = SpeechSection()
    tracing: TracingSection = TracingSection()
    feedback: FeedbackSection = FeedbackSection()
    console: ConsoleSection = ConsoleSection()
    channels: dict[str, InstanceOf[ChannelConfig]] = Field(default_factory=dict)

    @property
    def listed_models(self) -> tuple[str, ...]:
        """The models that a person may choose, where no other list is asked for; to think is another."""
        listed = self.agent.listed_models
        if not self.agent.built_in:
            return listed
        modes = ((name, thinking_choice(name)) if self.thinks(name) else (name,) for name in listed)
        return tuple(chain.from_iterable(modes))

    def thinks(self, model: str) -> bool:
        """Return whether people may have a model of the built-in agent think first."""
        return model in self.built_in.models and bool(self.built_in.models[model].thinking)

    @property
    def memory_in_store(self) -> bool:
        """Whether memories are in the store; by themselves they are where every node finds them."""
        chosen = self.memory.storage
        return chosen == "store" or (chosen == "auto" and not self.store.embedded)

    @property
    def memory_model(self) -> str:
        """The model that extracts facts, or "" where an assistant or simple rules do."""
        if self.memory.assistant:
            return ""
        return self.memory.model_name or (self.agent.model if self.agent.embedded else "")

    @field_validator("version")
    @classmethod
    def _known(cls, value: int) -> int:
        if value > CONFIG_VERSION:
            raise ValueError(
                f"this Parley knows versions up to {CONFIG_VERSION}, not {value}; install the Parley that "
                "the file was written for"
            )
        return value

    @model_validator(mode="before")
    @classmethod
    def _moved(cls, tree: object) -> object:
        return with_old_audit_days(tree)
