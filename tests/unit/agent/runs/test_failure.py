"""A failure's cause is told from what servers and providers really send."""

import pytest

from parley.agent.runs.failure import find_cause
from parley.core.model.errors import FailureCause

_STEPS = (
    "GraphRecursionError: Recursion limit of 25 reached without hitting a stop condition. You can increase "
    "the limit by setting the `recursion_limit` config key."
)
_OPENAI_LONG = (
    "OpenAIContextOverflowError: Error code: 400 - {'error': {'message': \"This model's maximum context "
    "length is 2000 tokens. However, you sent 2101 tokens.\", 'code': 'context_length_exceeded'}}"
)
_QUOTA = (
    "RateLimitError: Error code: 429 - {'error': {'message': 'You exceeded your current quota, please check "
    "your plan and billing details.', 'type': 'insufficient_quota', 'code': 'insufficient_quota'}}"
)
_ANTHROPIC_LONG = (
    "BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error',  "
    "'message': 'prompt is too long: 210000 tokens > 200000 maximum'}}"
)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (_STEPS, FailureCause.STEPS),
        ("RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached'}}", FailureCause.RATE),
        ("openai.RateLimitError: slow down", FailureCause.RATE),
        ("OpenAIRateLimitError: slow down", FailureCause.RATE),
        ("OpenAIAuthenticationError: no", FailureCause.KEY),
        ("ResourceExhausted: 429 Resource has been exhausted", FailureCause.RATE),
        ('{"error": "RateLimitError", "message": "Error code: 429 - {}"}', FailureCause.RATE),
        (_QUOTA, FailureCause.KEY),
        (_OPENAI_LONG, FailureCause.LENGTH),
        (_ANTHROPIC_LONG, FailureCause.LENGTH),
        ("AuthenticationError: Error code: 401 - {'error': {'code': 'invalid_api_key'}}", FailureCause.KEY),
        ("PermissionDeniedError: Error code: 403 - {}", FailureCause.KEY),
        ("BlockingError: An internal error occurred", FailureCause.BLOCKED),
        ("RuntimeError: model exploded", FailureCause.UNKNOWN),
        ("RuntimeError: the rate limit of the robot arm", FailureCause.UNKNOWN),
        ("an error without a description", FailureCause.UNKNOWN),
        ("", FailureCause.UNKNOWN),
        ("x" * 1_000_000 + ": context_length_exceeded", FailureCause.UNKNOWN),
    ],
)
def test_causes(error: str, cause: FailureCause) -> None:
    assert find_cause(error) is cause
