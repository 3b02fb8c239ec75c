"""Tests of learning from turns."""
