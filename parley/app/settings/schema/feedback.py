"""The feedback section of config.yaml: who is told what people think of answers."""

from __future__ import annotations

import re
from typing import Literal
from uuid import UUID

from pydantic import Field, field_validator, model_validator

from parley.app.settings.schema.service_address import check_address
from parley.channels.kit.config import Section
from parley.feedback.options import (
    FeedbackDeliveryOptions,
    LangfuseOptions,
    LangSmithOptions,
    TraceId,
    WebhookOptions,
    signing_key,
)

_KEY = re.compile(r"[!-~]*")


def _check_key(value: str) -> str:
    """Return a key, or ""; a validator. Raises ValueError for what no header takes."""
    if not _KEY.fullmatch(value):
        raise ValueError("must be letters, digits and signs of ASCII, without spaces")
    return value


class LangSmithSection(Section):
    """LangSmith, told with an `api_key`; `project_id` is that of the project which has the runs."""

    url: str = "https://api.smith.langchain.com"
    api_key: str = Field(default="", repr=False)
    project_id: UUID | None = None

    _checked = field_validator("url")(check_address)
    _checked_key = field_validator("api_key")(_check_key)


class LangfuseSection(Section):
    """Langfuse, told with a `public_key` and a `secret_key`; `trace_id` is by which id it knows a run."""

    url: str = "https://cloud.langfuse.com"
    public_key: str = ""
    secret_key: str = Field(default="", repr=False)
    trace_id: Literal["run", "run_dashed", "turn"] = "run"

    _checked = field_validator("url")(check_address)
    _checked_keys = field_validator("public_key", "secret_key")(_check_key)

    @model_validator(mode="after")
    def _both(self) -> LangfuseSection:
        if bool(self.public_key) != bool(self.secret_key):
            raise ValueError("needs both public_key and secret_key")
        return self


class FeedbackWebhookSection(Section):
    """An address that feedback is posted to, and the `secret` that signs it."""

    url: str = ""
    secret: str = Field(default="", repr=False)

    _checked = field_validator("url")(check_address)

    @model_validator(mode="after")
    def _signed(self) -> FeedbackWebhookSection:
        if self.url:
            try:
                signing_key(self.secret)
            except ValueError as error:
                raise ValueError(f"needs another secret ({error}): openssl rand -hex 32") from error
        return self


class FeedbackSection(Section):
    """Who is told; `key` is what LangSmith's feedback and Langfuse's scores are called."""

    key: str = Field(default="user_feedback", min_length=1, max_length=100)
    langsmith: LangSmithSection = LangSmithSection()
    langfuse: LangfuseSection = LangfuseSection()
    webhook: FeedbackWebhookSection = FeedbackWebhookSection()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of those who are told."""
        on = {
            "langsmith": self.langsmith.api_key,
            "langfuse": self.langfuse.secret_key,
            "webhook": self.webhook.url,
        }
        return tuple(name for name, told in on.items() if told)

    def options(self) -> FeedbackDeliveryOptions:
        """Return the same for the clients of the services."""
        smith, fuse, hook, names = self.langsmith, self.langfuse, self.webhook, self.names
        return FeedbackDeliveryOptions(
            LangSmithOptions(smith.url, smith.api_key, self.key, str(smith.project_id or ""))
            if "langsmith" in names
            else None,
            LangfuseOptions(fuse.url, fuse.public_key, fuse.secret_key, self.key, TraceId(fuse.trace_id))
            if "langfuse" in names
            else None,
            WebhookOptions(hook.url, hook.secret) if "webhook" in names else None,
        )
