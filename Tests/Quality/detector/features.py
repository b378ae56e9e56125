"""What the detector of speech looks at, as Sources/Voice/SpeechFeatures.swift has it: 26 numbers each 10 ms at 16 kHz."""

import numpy

RATE = 16000
HOP = 160
WINDOW = 480
TRANSFORM = 512
BANDS = 24
LOWEST_HERTZ, HIGHEST_HERTZ = 80.0, 7000.0
FLOOR = 1e-10
SHORTEST_LAG, LONGEST_LAG = 40, 200
FIRST_BIN, LAST_BIN = 2, 128
MEAN_HOPS = 300
LOUDEST_MEAN = -1.0
COUNT = BANDS + 2


def mel(hertz):
    return 2595 * numpy.log10(1 + hertz / 700)


def hertz(mels):
    return 700 * (10 ** (mels / 2595) - 1)


def triangles():
    """The weights of each band's bins, which sum up to 1."""
    edges = hertz(numpy.linspace(mel(LOWEST_HERTZ), mel(HIGHEST_HERTZ), BANDS + 2)) * TRANSFORM / RATE
    bins = numpy.arange(TRANSFORM // 2 + 1)
    weights = numpy.zeros((BANDS, len(bins)))
    for band in range(BANDS):
        low, middle, high = edges[band : band + 3]
        rising, falling = (bins - low) / (middle - low), (high - bins) / (high - middle)
        weights[band] = numpy.maximum(0, numpy.minimum(rising, falling))
        weights[band] /= weights[band].sum()
    return weights


HANN = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(WINDOW) / WINDOW)
WEIGHTS = triangles()
_lags = numpy.fft.irfft(numpy.abs(numpy.fft.rfft(HANN, TRANSFORM)) ** 2)
LAG_GAIN = 1 / (_lags[SHORTEST_LAG : LONGEST_LAG + 1] / _lags[0])


def features(sound):
    """One row each hop; the window ends with the hop."""
    sound = numpy.concatenate([numpy.zeros(WINDOW - HOP), sound])
    count = (len(sound) - WINDOW) // HOP + 1
    frames = numpy.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP][:count]
    power = numpy.abs(numpy.fft.rfft(frames * HANN, TRANSFORM)) ** 2 / numpy.sum(HANN**2)
    bands = numpy.log10(power @ WEIGHTS.T + FLOOR)
    voiced = numpy.zeros_like(power)
    voiced[:, FIRST_BIN : LAST_BIN + 1] = power[:, FIRST_BIN : LAST_BIN + 1]
    lags = numpy.fft.irfft(voiced)
    pitch = (lags[:, SHORTEST_LAG : LONGEST_LAG + 1] * LAG_GAIN).max(axis=1) / (lags[:, 0] + FLOOR)
    # What is no sound at all must not deafen it for long.
    level = numpy.minimum(bands.mean(axis=1), LOUDEST_MEAN)
    mean, means = 0.0, numpy.empty(count)
    for hop in range(count):
        mean += (level[hop] - mean) / min(hop + 1, MEAN_HOPS)
        means[hop] = mean
    return numpy.column_stack([bands - means[:, None], (means + 4) / 2, pitch]).astype(numpy.float32)
