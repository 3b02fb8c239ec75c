"""Why a run failed, told from what servers and providers of models say."""

from __future__ import annotations

from parley.core.model.errors import FailureCause

_MOST_READ = 4_000
_LONGEST_NAME = 200

# How types of errors end: langchain-openai's are called OpenAIRateLimitError and the like.
_ENDINGS = (
    (FailureCause.STEPS, ("GraphRecursionError",)),
    (FailureCause.RATE, ("RateLimitError", "ResourceExhausted", "TooManyRequests", "ThrottlingException")),
    (FailureCause.KEY, ("AuthenticationError", "PermissionDeniedError", "Unauthenticated")),
    (FailureCause.LENGTH, ("ContextOverflowError", "ContextWindowExceededError")),
    (FailureCause.BLOCKED, ("BlockingError",)),
)

# In this order: a provider answers 429 also for an account without money, and 400 for what is too long.
_PHRASES = (
    (FailureCause.KEY, ("insufficient_quota", "exceeded your current quota", "credit balance is too low")),
    (
        FailureCause.LENGTH,
        (
            "context_length_exceeded",
            "maximum context length",
            "context window",
            "prompt is too long",
            "input is too long",
            "exceeds the maximum number of tokens",
            "exceed context limit",
            "exceeds the available context size",
        ),
    ),
    (FailureCause.STEPS, ("graph_recursion_limit",)),
    (
        FailureCause.RATE,
        ("error code: 429", "rate_limit_exceeded", "rate_limit_error", "429 resource_exhausted"),
    ),
    (
        FailureCause.KEY,
        (
            "error code: 401",
            "error code: 403",
            "invalid_api_key",
            "incorrect api key",
            "invalid x-api-key",
            "api key not valid",
            "api_key client option must be set",
        ),
    ),
    (FailureCause.BLOCKED, ("blocking call to",)),
)


def find_cause(error: str) -> FailureCause:
    """Return the cause in an error as servers send it, `Type: message`; UNKNOWN where it is none of ours."""
    said = error[:_MOST_READ].lower()
    for cause, phrases in _PHRASES:
        if any(phrase in said for phrase in phrases):
            return cause
    name = error[:_LONGEST_NAME].partition(":")[0].strip()
    found = (cause for cause, endings in _ENDINGS if name.endswith(endings))
    return next(found, FailureCause.UNKNOWN)
