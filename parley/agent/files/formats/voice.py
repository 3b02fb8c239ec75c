"""Speech in Ogg Opus, as samples: 16 kHz, one channel, 16 bits each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import gcd

import numpy as np
import soundfile
from numpy.typing import NDArray

from .result import ReadRefused, Result

Sound = NDArray[np.float32]

_RATE = 16_000
_HEAD = 200
_MOST_CHANNELS = 8
_LOBES = 16
_LOUDEST = 32_767


def read(content: bytes, most: int) -> Result:
    """Return the samples, at most one more than `most`; they are read from standard input once more.

    The library could read `content` by calls back into Python only, for which it would make machine code.
    """
    if not content.startswith(b"OggS") or b"OpusHead" not in content[:_HEAD]:
        raise ReadRefused("unknown")
    os.lseek(0, 0, os.SEEK_SET)
    found: list[Sound] = []
    wanted = most + 1
    try:
        with soundfile.SoundFile(0, closefd=False) as sound:
            for block in _resampled(_seconds(sound), sound.samplerate):
                found.append(block[:wanted])
                wanted -= len(found[-1])
                if not wanted:
                    break
    except soundfile.LibsndfileError as error:
        raise ReadRefused("broken") from error
    if not sum(len(each) for each in found):
        raise ReadRefused("empty")
    samples = np.clip(np.concatenate(found), -1.0, 1.0) * _LOUDEST
    return "samples", samples.astype("<i2").tobytes()


def _seconds(sound: soundfile.SoundFile) -> Iterator[Sound]:
    """Yield a second of sound at a time, its channels mixed."""
    if (sound.format, sound.subtype) != ("OGG", "OPUS") or sound.channels > _MOST_CHANNELS:
        raise ReadRefused("unknown")
    while len(block := sound.read(sound.samplerate, dtype="float32", always_2d=True)):
        yield block.mean(axis=1)


def _resampled(blocks: Iterator[Sound], rate: int) -> Iterator[Sound]:
    """Yield the blocks at our rate, through a low-pass filter that goes on from one to the next."""
    if rate == _RATE:
        yield from blocks
        return
    common = gcd(rate, _RATE)
    up, down = _RATE // common, rate // common
    kernel = _low_pass(up, down)
    before = np.zeros(len(kernel) - 1, np.float32)
    for block in blocks:
        spread = np.zeros(len(block) * up, np.float32)
        spread[::up] = block
        joined = np.concatenate((before, spread))
        before = joined[-len(before) :]
        yield np.convolve(joined, kernel, "valid")[::down]


def _low_pass(up: int, down: int) -> Sound:
    """Return a windowed sinc that keeps what both rates can hold."""
    widest = max(up, down)
    places = np.arange(-_LOBES * widest, _LOBES * widest + 1)
    kernel = np.sinc(places / widest) * np.hamming(len(places))
    return np.asarray(kernel * up / kernel.sum(), np.float32)
