"""The questions section of config.yaml: who decides what an agent asks for."""

from __future__ import annotations

from pydantic import Field, field_validator

from parley.channels.kit.config import Section
from parley.core.model.address import Conversation
from parley.core.model.options import ADMINS, ANYONE, ASKER, DecisionRules, QuestionOptions

_WORDS = (ASKER, ADMINS, ANYONE)


class RulesSection(Section):
    """How a question is decided. Durations are seconds, 0 for never."""

    deciders: tuple[str, ...] = (ASKER,)
    four_eyes: bool = False
    ask: str = ""
    expires_after: float = Field(default=86_400.0, ge=0)
    expired: str = "reject"
    remind_after: float = Field(default=0.0, ge=0)

    @field_validator("deciders", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("deciders")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for who in value:
            if who not in _WORDS and ":" not in who:
                raise ValueError(
                    f'must name {", ".join(_WORDS)} or accounts such as "slack:U0123456", not "{who}"'
                )
        if not value:
            raise ValueError("must name somebody, or nobody could ever decide")
        return value

    @field_validator("ask")
    @classmethod
    def _a_conversation(cls, value: str) -> str:
        if value:
            try:
                Conversation.parse(value)
            except ValueError:
                raise ValueError(
                    f'must be a conversation such as "slack:C0123456" (/whoami tells it), not "{value}"'
                ) from None
        return value


class ActionRules(RulesSection):
    """Rules of single actions; what is not said is as for all questions."""


class QuestionsSection(RulesSection):
    """Rules of all questions, and of approvals by the pattern of their actions' names."""

    actions: dict[str, ActionRules] = Field(default_factory=dict)

    def options(self) -> QuestionOptions:
        """Return the same for the core."""
        general = self.model_dump(exclude={"actions"})
        return QuestionOptions(
            DecisionRules(**general),
            {
                pattern: DecisionRules(**{**general, **rules.model_dump(exclude_unset=True)})
                for pattern, rules in self.actions.items()
            },
        )
