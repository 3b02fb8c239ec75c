"""Texts, files and memories that several suites try things on."""
