"""Codes that one person reads out and another types: made, and kept as a digest only."""

from __future__ import annotations

import hashlib
import secrets

CODE_SECONDS = 600.0
"""How long a code may be used."""

_LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # without those that look alike
_LENGTH = 8


def new_code() -> str:
    """Return a code that nobody can guess: one of 30 to the power of 8."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def code_digest(code: str) -> str:
    """Return what is kept of a code, however it was typed: who reads the store cannot use it."""
    plain = "".join(letter for letter in code.upper() if letter.isalnum())
    return hashlib.sha256(plain.encode()).hexdigest()
