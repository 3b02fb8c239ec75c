"""Sounds in files, made by libsndfile."""

from __future__ import annotations

import io

import numpy as np
import soundfile
from numpy.typing import NDArray

Sound = NDArray[np.float64]
TONE = 440.0


def tone(seconds: float, rate: int = 16_000, loudness: float = 0.3) -> Sound:
    """A tone that can be told from others."""
    return loudness * np.sin(2 * np.pi * TONE * np.arange(int(seconds * rate)) / rate)


def sound_file(sound: Sound, rate: int = 16_000, kind: str = "OGG", codec: str = "OPUS") -> bytes:
    """A sound as a file, as people's phones make it where nothing else is said."""
    made = io.BytesIO()
    soundfile.write(made, sound, rate, format=kind, subtype=codec)
    return made.getvalue()


def voice_message(seconds: float) -> bytes:
    """A voice message of a phone."""
    return sound_file(tone(seconds))


def pitch(samples: bytes) -> float:
    """The strongest frequency in samples as a decoder gives them."""
    heard = np.frombuffer(samples, "<i2").astype(float)
    return float(np.abs(np.fft.rfft(heard)).argmax() * 16_000 / len(heard))
