"""The store section of config.yaml: where durable state lives."""

from __future__ import annotations

from pydantic import Field, field_validator

from parley.channels.kit.config import Section

SQLITE = "sqlite"
_FILE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


class StoreSection(Section):
    """`sqlite` is a file in the data folder, `sqlite:///FILE` one elsewhere.

    `listen_url` is the server's own address where `url` is that of a pooler in transaction mode.
    On a server `node` is this process among several ("": host and process id), and what it works on is its
    own for `lease` seconds after its last sign of life.
    """

    url: str = Field(default=SQLITE, repr=False)
    listen_url: str = Field(default="", repr=False)
    lease: float = Field(default=15.0, ge=2, le=300)
    node: str = Field(default="", max_length=60)

    @field_validator("url")
    @classmethod
    def _known(cls, value: str) -> str:
        named = value.startswith(_FILE) and value != _FILE
        if value != SQLITE and not named and not value.startswith(_POSTGRES):
            # The value may hold a password: it is not repeated.
            raise ValueError('must be "sqlite", or start with sqlite:/// or postgresql://')
        return value

    @field_validator("listen_url")
    @classmethod
    def _direct(cls, value: str) -> str:
        if value and not value.startswith(_POSTGRES):
            raise ValueError("must start with postgresql://, or be left out")
        return value

    @property
    def embedded(self) -> bool:
        """Whether it is a file of SQLite's."""
        return not self.url.startswith(_POSTGRES)

    @property
    def file(self) -> str:
        """The path that `sqlite:///FILE` names; "" for the file in the data folder."""
        return self.url.removeprefix(_FILE) if self.url.startswith(_FILE) else ""
