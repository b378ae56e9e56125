"""The log mel spectrum that Whisper reads: 80 bands, 25 ms windows each 10 ms, at 16 kHz."""

import numpy as np

RATE = 16_000
WINDOW = 400
HOP = 160
SECONDS = 30


def _hertz(mels):
    """Slaney's scale: linear up to 1 kHz, logarithmic above."""
    step = np.log(6.4) / 27
    return np.where(mels < 15, mels * 200 / 3, 1000 * np.exp(step * (mels - 15)))


def _filters(bands):
    highest = 15 + np.log(RATE / 2 / 1000) * 27 / np.log(6.4)
    edges = _hertz(np.linspace(0, highest, bands + 2))
    bins = np.fft.rfftfreq(WINDOW, 1 / RATE)
    rise = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    triangles = np.maximum(0, np.minimum(rise, fall))
    # Each band has the same area.
    return (triangles * (2 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)


def frames(samples):
    """How many frames of the spectrum a model is to look at, of so many samples.

    Whisper takes its time for all of 30 s; of the silence after what was said it needs 5 s. Even, as it takes two at a
    time."""
    return min(SECONDS * 100, (samples // HOP + 500) // 2 * 2)


class Mel:
    """Makes the spectrum of up to 30 s of sound."""

    def __init__(self, bands=80):
        self._filters = _filters(bands)
        self._window = np.hanning(WINDOW + 1)[:-1].astype(np.float32)

    def spectrum(self, sound):
        """Float samples at 16 kHz in, (bands, 3000) out; silence follows what is shorter than 30 s."""
        sound = sound[: SECONDS * RATE]
        sound = np.pad(sound, (0, SECONDS * RATE - len(sound)))
        sound = np.pad(sound, WINDOW // 2, mode="reflect")
        frames = np.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP]
        power = np.abs(np.fft.rfft(frames[:-1] * self._window, axis=1).astype(np.complex64)) ** 2
        spectrum = np.log10(np.maximum(self._filters @ power.T, 1e-10))
        spectrum = np.maximum(spectrum, spectrum.max() - 8)
        return ((spectrum + 4) / 4).astype(np.float32)
