"""The store section of config.yaml: where durable state lives."""

from __future__ import annotations

from pydantic import Field, field_validator

from channels.kit.config import Section

SQLITE = "sqlite"


class StoreSection(Section):
    """`sqlite` is a file in the data folder."""

    url: str = Field(default=SQLITE, repr=False)

    @field_validator("url")
    @classmethod
    def _known(cls, value: str) -> str:
        if value != SQLITE and not value.startswith(("postgresql://", "postgres://")):
            # The value may hold a password: it is not repeated.
            raise ValueError('must be "sqlite", or start with postgresql://')
        return value

    @property
    def embedded(self) -> bool:
        """Whether it is the file in the data folder."""
        return self.url == SQLITE
