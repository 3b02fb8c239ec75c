"""The files of a turn on their way in: fetched from their platform, and voice messages as words."""
