"""Tests of the tools that agents have on memory."""
