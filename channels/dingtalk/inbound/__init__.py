"""From DingTalk: the stream connection, robot messages and card callbacks."""
