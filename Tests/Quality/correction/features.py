"""What the correction behind RNNoise looks at, each 10 ms: the twin of Sources/Voice/BandCorrection.swift."""

import numpy

BLOCK, WINDOW, COUNT = 480, 720, 1024
# Hz: the bands of RNNoise.
BANDS = numpy.array([0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 2000, 2400, 2800, 3200, 4000, 4800, 5600, 6800, 8000,
                     9600, 12000, 15600, 20000])
FLOOR = 1e-7
HERTZ = numpy.fft.rfftfreq(COUNT, 1 / 48000)
SHAPES = numpy.stack([numpy.interp(HERTZ, BANDS, row) for row in numpy.eye(len(BANDS))])


def energies(sound):
    """Of each block the energy of its bands, in the window of 15 ms that ends with it."""
    count = len(sound) // BLOCK
    padded = numpy.concatenate([numpy.zeros(WINDOW - BLOCK), sound[: count * BLOCK]])
    window = numpy.hanning(WINDOW + 1)[:-1]
    frames = numpy.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::BLOCK][:count] * window
    return numpy.abs(numpy.fft.rfft(frames, COUNT, axis=1)) ** 2 @ SHAPES.T


def decibels(energy):
    return 10 * numpy.log10(energy + FLOOR)


def before(rows, count=1):
    return numpy.concatenate([numpy.zeros_like(rows[:count]), rows[:-count]])


def features(coming, left, voice):
    """Rows of 179 numbers: of what comes in, a block before it comes out as `left`; `voice` is RNNoise's probability."""
    ahead = decibels(energies(coming))
    now = before(ahead)
    now[0] = decibels(0 * now[0])
    taken = numpy.clip(decibels(energies(left)) - now, -40, 0) / 20
    total = 10 * numpy.log10(numpy.sum(10 ** (now / 10), axis=1))
    loudest, noise = numpy.zeros(len(now)), numpy.zeros_like(now)
    top, mean = -30.0, now[0].copy()
    for index in range(len(now)):
        top = max(total[index], top - 0.02)
        mean += 0.05 * (1 - min(1, max(0, voice[index]))) * (now[index] - mean)
        loudest[index], noise[index] = top, mean

    def relative(rows):
        return numpy.clip((rows - loudest[:, None] + 30) / 20, -3, 2)

    near = relative(now)
    voice = voice[:, None]
    parts = [taken, before(taken), before(taken, 2), relative(ahead), near, before(near), relative(noise)]
    return numpy.concatenate([*parts, voice, before(voice), before(voice, 2)], axis=1).astype(numpy.float32)
