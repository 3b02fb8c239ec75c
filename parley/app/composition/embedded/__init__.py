"""The embedded agent server: its options, its opening, and what it keeps of people."""
