"""The limits section of config.yaml: how much may be asked, and what it costs."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator, model_validator

from parley.channels.kit.config import Section
from parley.core.model.limits import LimitCaps, LimitOptions
from parley.core.model.usage import MILLION, TokenPrice


class CapsSection(Section):
    """The most of each measure, 0 for no limit; cost in the section's currency."""

    turns_per_minute: int = Field(default=0, ge=0)
    turns_per_day: int = Field(default=0, ge=0)
    tokens_per_day: int = Field(default=0, ge=0)
    cost_per_day: float = Field(default=0.0, ge=0, le=1e9)

    def caps(self) -> LimitCaps:
        """Return the same for the core."""
        cost = round(self.cost_per_day * MILLION)
        return LimitCaps(self.turns_per_minute, self.turns_per_day, self.tokens_per_day, cost)


class PriceSection(Section):
    """Of a million tokens, read and written."""

    input: float = Field(ge=0, le=1e6)
    output: float = Field(ge=0, le=1e6)


class LimitsSection(Section):
    """Limits of a person, a chat and a channel; a share to warn at; what tokens cost."""

    person: CapsSection = CapsSection()
    chat: CapsSection = CapsSection()
    channel: CapsSection = CapsSection()
    warn_at: float = Field(default=0.8, ge=0, le=1)
    time_zone: str = "UTC"
    currency: str = Field(default="USD", min_length=1, max_length=12)
    prices: dict[str, PriceSection] = Field(default_factory=dict)

    @field_validator("time_zone")
    @classmethod
    def _known(cls, value: str) -> str:
        try:
            _zone(value)
        except (KeyError, ValueError, OSError):
            raise ValueError(
                f'must be UTC or the name of a time zone, such as Europe/Berlin, not "{value}"'
            ) from None
        return value

    @model_validator(mode="after")
    def _payable(self) -> LimitsSection:
        for scope in ("person", "chat", "channel"):
            if getattr(self, scope).cost_per_day and not self.prices:
                raise ValueError(
                    f"{scope}.cost_per_day needs prices to count by; write under limits: "
                    'prices: {"gpt-5-mini*": {input: 0.25, output: 2}}'
                )
        return self

    def options(self) -> LimitOptions:
        """Return the same for the core."""
        return LimitOptions(
            person=self.person.caps(),
            chat=self.chat.caps(),
            channel=self.channel.caps(),
            warn_at=self.warn_at,
            zone=_zone(self.time_zone),
            currency=self.currency,
            prices={model: TokenPrice(price.input, price.output) for model, price in self.prices.items()},
        )


def _zone(name: str) -> tzinfo:
    """UTC without a database of zones, which not every system has."""
    return UTC if name == "UTC" else ZoneInfo(name)
