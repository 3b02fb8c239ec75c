"""The tracing section of config.yaml: where traces of turns go."""

from __future__ import annotations

from pydantic import Field, field_validator

from parley.channels.kit.config import Section


class TracingSection(Section):
    """OpenTelemetry over HTTP; off without an endpoint."""

    endpoint: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    sample: float = Field(default=1.0, ge=0, le=1)
    service_name: str = Field(default="parley", min_length=1, max_length=100)

    @field_validator("endpoint")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError(
                f'must be an address of OTLP over HTTP, such as http://localhost:4318, not "{value}"'
            )
        return value.rstrip("/")
