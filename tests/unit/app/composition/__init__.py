"""The parts come together."""
