"""All of config.yaml. The defaults in the sections are what runs when there is no file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, InstanceOf, model_validator

from parley.app.settings.schema.agent import AgentSection
from parley.app.settings.schema.console import ConsoleSection
from parley.app.settings.schema.limits import LimitsSection
from parley.app.settings.schema.manager import ManagerSection
from parley.app.settings.schema.memory import MemorySection
from parley.app.settings.schema.questions import QuestionsSection
from parley.app.settings.schema.retention import RetentionSection, with_old_audit_days
from parley.app.settings.schema.speech import SpeechSection, TranscriptionSection
from parley.app.settings.schema.store import StoreSection
from parley.channels.kit.config import ChannelConfig, Section, SessionConfig


class Settings(Section):
    """Everything that config.yaml says. Every channel that Parley has is in `channels`, on or off."""

    data_dir: str = Field(default="data", min_length=1)
    language: Literal["auto", "en", "zh"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    store: StoreSection = StoreSection()
    agent: AgentSection = AgentSection()
    session: SessionConfig = SessionConfig()
    manager: ManagerSection = ManagerSection()
    memory: MemorySection = MemorySection()
    questions: QuestionsSection = QuestionsSection()
    retention: RetentionSection = RetentionSection()
    limits: LimitsSection = LimitsSection()
    transcription: TranscriptionSection = TranscriptionSection()
    speech: SpeechSection = SpeechSection()
    console: ConsoleSection = ConsoleSection()
    channels: dict[str, InstanceOf[ChannelConfig]] = Field(default_factory=dict)

    @property
    def memory_in_store(self) -> bool:
        """Whether memories are in the store; by themselves they are where every node finds them."""
        chosen = self.memory.storage
        return chosen == "store" or (chosen == "auto" and not self.store.embedded)

    @model_validator(mode="before")
    @classmethod
    def _moved(cls, tree: object) -> object:
        return with_old_audit_days(tree)
