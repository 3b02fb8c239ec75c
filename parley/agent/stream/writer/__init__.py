"""What a graph's stream writer sends (custom mode)."""
