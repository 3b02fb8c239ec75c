"""What SQLite alone promises."""
