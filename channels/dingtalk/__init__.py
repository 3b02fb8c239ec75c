"""DingTalk: a robot on a stream connection, with AI cards that grow."""
