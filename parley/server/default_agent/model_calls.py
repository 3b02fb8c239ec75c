"""Calls of a model that the agent's middleware makes for itself: counted, not shown, and soon given up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TypeVar

from langchain.agents.middleware.internal_call_transformer import internal_call_metadata
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")


async def call_internally(model: BaseChatModel, source: str, messages: Sequence[BaseMessage]) -> str:
    """Return what a model says; `source` names who asks. No client shows it as an answer."""
    said = await model.ainvoke(
        list(messages), {"metadata": {"lc_source": source, **internal_call_metadata()}}
    )
    return said.text


async def finish_within(task: asyncio.Task[_Result], seconds: float, missing: str) -> _Result | None:
    """Return what a task returns; None where it fails or takes longer, which the log tells as `missing`.

    It has been ended in any case.
    """
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()
    error = task.exception() if done else TimeoutError(f"none within {seconds:.0f} seconds")
    if error is None:
        return task.result()
    log.info("%s: %s: %.200s", missing, type(error).__name__, error)
    return None
