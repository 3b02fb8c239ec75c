"""What an answer suggests to ask next: messages that a person sends by a press."""
