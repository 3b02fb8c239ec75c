"""Slack's refusals as Parley's errors.

What the core need not tell apart stays a subclass known here only:

DeliveryRejected
├── FormatRefused   the text's form; its words may pass
│   └── TooLong     the text is more than one message takes; in smaller parts it passes
├── MessageGone     the message to change is not there, or cannot be changed
├── StreamEnded     the message no longer grows: Slack, or somebody, closed the stream
└── Unsupported     this app, workspace or chat does not have the method or its scope
ChannelUnavailable
└── ResponseLost    it may have been done: only the answer is missing
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from slack_sdk.errors import SlackApiError, SlackClientError

from parley.channels.kit.errors import FormatRefused, MessageGone, ResponseLost
from parley.channels.kit.fields import number_or
from parley.channels.kit.http.errors import describe_network_error, map_network_errors
from parley.core.model.errors import (
    AuthenticationRefused,
    ChannelError,
    ChannelUnavailable,
    DeliveryRejected,
    RateLimited,
)

DEFAULT_PAUSE = 30.0


class TooLong(FormatRefused):
    """The text is more than Slack takes in one message."""


class StreamEnded(DeliveryRejected):
    """The message is not growing any more."""


class Unsupported(DeliveryRejected):
    """The method is not for this app, workspace or kind of chat."""


_REFUSED_TOKENS = {
    "invalid_auth": "Slack does not know this token; bot_token is xoxb-..., app_token xapp-...",
    "not_authed": "Slack got no token",
    "token_revoked": "the token was revoked: install the app anew",
    "token_expired": "the token has expired: install the app anew",
    "account_inactive": "the app was removed from the workspace, or the workspace is gone",
    "not_allowed_token_type": "a token of the wrong kind: bot_token is xoxb-..., app_token xapp-...",
}
_KINDS: Mapping[type[ChannelError], frozenset[str]] = {
    TooLong: frozenset({"msg_too_long", "msg_blocks_too_long", "msg_blocks_too_many"}),
    FormatRefused: frozenset(
        {
            *("invalid_blocks", "invalid_blocks_format", "block_mismatch", "no_text"),
            *("markdown_text_conflict", "cannot_provide_both_markdown_text_and_chunks"),
            *("invalid_chunks", "streaming_mode_mismatch"),
            *("invalid_metadata_format", "invalid_metadata_schema"),
        }
    ),
    MessageGone: frozenset(
        {"message_not_found", "cant_update_message", "edit_window_closed", "cant_delete_message"}
    ),
    StreamEnded: frozenset({"message_not_in_streaming_state", "stopped_by_user"}),
    Unsupported: frozenset(
        {
            *("unknown_method", "missing_scope", "not_allowed", "access_denied", "feature_not_enabled"),
            *("method_deprecated", "method_not_supported_for_channel_type", "no_permission"),
            "channel_type_not_supported",
            *("missing_recipient_user_id", "missing_recipient_team_id", "invalid_thread_ts", "paid_only"),
            *("invalid_arguments", "team_not_found", "user_not_found"),
        }
    ),
    ChannelUnavailable: frozenset(
        {
            "service_unavailable",
            "team_added_to_org",
            "request_timeout",
            "org_login_required",
            "external_error",
        }
    ),
}
_LIMITS = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded", "accesslimited"})
_DOUBTS = frozenset({"internal_error", "fatal_error"})


def translate(error: SlackApiError) -> ChannelError:
    """Return the one of our errors that says what this one means."""
    response = error.response
    data = getattr(response, "data", None)
    code = str(data.get("error") or "") if isinstance(data, dict) else ""
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)
    if status == 429 or code in _LIMITS:
        headers = getattr(response, "headers", None)
        asked = headers.get("Retry-After") if isinstance(headers, Mapping) else None
        return RateLimited("Slack asks for a pause", number_or(asked, DEFAULT_PAUSE))
    if not code or code in _DOUBTS or status >= 500:
        return ResponseLost(f"Slack gave no answer ({code or f'status {status}'})")
    if code in _REFUSED_TOKENS:
        return AuthenticationRefused(_REFUSED_TOKENS[code], "bot_token")
    needed = f" ({data['needed']})" if isinstance(data, dict) and data.get("needed") else ""
    kind = next((kind for kind, codes in _KINDS.items() if code in codes), DeliveryRejected)
    return kind(f"Slack refused: {code}{needed}")


@contextmanager
def map_sdk_errors() -> Iterator[None]:
    """Turn the SDK's errors, and those of the connection under it, into ours.

    Some are not chained: their texts may hold addresses that are secrets.
    """
    try:
        with map_network_errors("Slack"):
            yield
    except SlackApiError as error:
        raise translate(error) from error
    except SlackClientError as error:
        raise ResponseLost(f"Slack gave no answer: {describe_network_error(error)}") from None
    except (ValueError, AttributeError) as error:
        # The SDK trips over answers that are JSON but no object.
        raise ResponseLost("Slack's answer makes no sense") from error
