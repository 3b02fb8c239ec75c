"""What platforms refuse in the same way. The core need not tell these from the errors that they are."""

from parley.core.model.errors import ChannelUnavailable, DeliveryRejected, RateLimited


class FormatRefused(DeliveryRejected):
    """The platform does not take the text in this form; its words may pass."""


class MessageGone(DeliveryRejected):
    """The message that was to be changed is not there, or cannot be changed."""


class ResponseLost(ChannelUnavailable):
    """The request may have reached the platform and been carried out; nobody can know."""


class SnapshotDeferred(RateLimited):
    """The app's own budget has no room for a snapshot now. Nothing was sent."""
