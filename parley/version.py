"""The version of Parley."""

VERSION = "0.1.0"
