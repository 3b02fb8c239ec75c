"""Extraction: turns become a proposed diff, by a language model or by rules."""
