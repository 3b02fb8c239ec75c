"""Tests of the channels, one folder for each."""
