"""A channel as another distribution brings it: people and the bot write lines of JSON into two files."""
