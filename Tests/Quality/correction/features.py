"""What the network behind RNNoise looks at, each 10 ms, and what its masks do: Sources/Voice/BandMask.swift's twin."""

import numpy

BLOCK, COUNT = 480, 1024
# Hz: narrow where harmonics of a voice lie side by side.
BANDS = numpy.array([0, 80, 160, 240, 320, 400, 480, 560, 650, 750, 860, 980, 1120, 1280, 1460, 1660, 1890, 2150, 2440,
                     2770, 3150, 3580, 4070, 4620, 5250, 6000, 6900, 8000, 9600, 12000, 15600, 20000])
FLOOR = 1e-7
HERTZ = numpy.fft.rfftfreq(COUNT, 1 / 48000)
# Of each bin how much of it is each band's, and so how much it gets of the band's mask.
SHAPES = numpy.stack([numpy.interp(HERTZ, BANDS, row) for row in numpy.eye(len(BANDS))])
SINE = numpy.sin(numpy.pi * (numpy.arange(2 * BLOCK) + 0.5) / (2 * BLOCK))
# RNNoise's result is looked at in its last 15 ms.
HANN = numpy.hanning(721)[:-1]
# How much of the sound is the network's; the rest is RNNoise's.
PART = 0.85
# What is no more probable is no voice, what leaves no more of the power no word; so many blocks of both are a pause.
VOICE, WORD, PAUSE = 0.5, 0.06, 20
WIDTH = 5 * len(BANDS) + 1
# Bins that are judged by themselves; above them, groups.
FINE_BINS = 96
GROUPS = [FINE_BINS, 112, 132, 158, 188, 230, 294, 380, len(HERTZ)]
# Features; energies of what comes, of the clean voice and of RNNoise's result; how alike any two of them are.
NAMES = ("features", "coming", "clean", "left", "coming_clean", "coming_left", "clean_left")


def spectra(sound, window=SINE):
    """Of each block the spectrum of what ends with it, as long as the window."""
    count = len(sound) // BLOCK
    padded = numpy.concatenate([numpy.zeros(len(window) - BLOCK), sound[: count * BLOCK]])
    frames = numpy.lib.stride_tricks.sliding_window_view(padded, len(window))[::BLOCK][:count] * window
    return numpy.fft.rfft(frames, COUNT, axis=1)


def energies(spectrum):
    return numpy.abs(spectrum) ** 2 @ SHAPES.T


def decibels(energy):
    return 10 * numpy.log10(energy + FLOOR)


def features(spectrum, left, voice):
    """Rows of 161 numbers, of the spectra of what comes in and of what RNNoise has left, a block late, of it.

    `voice` is RNNoise's probability of a voice, which is not late.
    """
    energy = energies(spectrum)
    now, left = decibels(energy), decibels(energies(spectra(left, HANN)))
    before = numpy.concatenate([decibels(0 * now[:1]), now[:-1]])
    total = 10 * numpy.log10(energy.sum(1) + FLOOR)
    loudest, noise, least = numpy.zeros(len(now)), numpy.zeros_like(now), numpy.zeros_like(now)
    top, mean, smooth, floor = -30.0, now[0].copy(), now[0].copy(), now[0].copy()
    for index in range(len(now)):
        top = max(total[index], top - 0.02)
        mean += 0.05 * (1 - min(1, max(0, voice[index]))) * (now[index] - mean)
        smooth += 0.2 * (now[index] - smooth)
        floor = numpy.minimum(smooth, floor + 0.04)
        loudest[index], noise[index], least[index] = top, mean, floor

    def relative(rows):
        return numpy.clip((rows - loudest[:, None] + 30) / 20, -3, 2)

    taken = numpy.clip(left - before, -40, 6) / 20
    parts = [relative(now), taken, relative(left), relative(noise), relative(least), voice[:, None]]
    return numpy.concatenate(parts, axis=1).astype(numpy.float32)


def made(spectrum, left, said):
    """The sound, a block late: of the spectra, their bands lowered by their masks, and of as much as said of `left`."""
    frames = numpy.fft.irfft(spectrum * (said[:, :-1] @ SHAPES), COUNT, axis=1)[:, : 2 * BLOCK] * SINE
    sound = frames[:, :BLOCK].copy()
    sound[1:] += frames[:-1, BLOCK:]
    share = said[:, -1:]
    former = numpy.concatenate([0 * share[:1], share[:-1]])
    share = former + (share - former) * (numpy.arange(BLOCK) + 1) / BLOCK
    return sound.reshape(-1) + (share * left[: sound.size].reshape(-1, BLOCK)).reshape(-1)


def tied(said, tools=numpy):
    """The two lowest bands as the third is: most who speak to learn from are cut off below 100 Hz."""
    return tools.concatenate([said[..., 2:3], said[..., 2:3], said[..., 2:]], axis=-1)


def shaped(said):
    """What is done of what the network says."""
    return numpy.concatenate([PART * said[..., :-1], 1 - PART + PART * said[..., -1:]], axis=-1)


def emptied(done, rows, energy):
    """Of what is done: in a pause no more of a band than RNNoise leaves of it."""
    bands = len(BANDS)
    kept = (done[:, :-1] / PART) ** 2
    talks = (rows[:, -1] > VOICE) | ((kept * energy).sum(1) > WORD * (energy.sum(1) + FLOOR))
    # Of windows of 15 and of 20 ms.
    left = numpy.sqrt(numpy.sum(SINE**2) / numpy.sum(HANN**2)) * 10.0 ** rows[:, bands : 2 * bands]
    least = numpy.minimum(done[:, :-1], PART * numpy.minimum(1, left))
    silent, pauses = PAUSE, []
    for talk in talks:
        silent = 0 if talk else silent + 1
        pauses.append(silent >= PAUSE)
    masks = numpy.where(numpy.array(pauses)[:, None], least, done[:, :-1])
    return numpy.concatenate([masks, done[:, -1:]], axis=1)


def sigmoid(values):
    return 1 / (1 + numpy.exp(-numpy.clip(values, -30, 30)))


def masks_of(layers, rows):
    """What the network says of rows of features: each band's mask, and last how much of RNNoise's result; 0…1."""
    dense, dense0, given, given0, own, own0, out, skip, out0 = (numpy.asarray(layer, numpy.float32) for layer in layers)
    inner = numpy.tanh(rows @ dense + dense0) @ given + given0
    hidden, states = numpy.zeros(own.shape[0], numpy.float32), []
    count = len(hidden)
    for row in inner:
        memory = hidden @ own + own0
        update = sigmoid(row[:count] + memory[:count])
        reset = sigmoid(row[count : 2 * count] + memory[count : 2 * count])
        fresh = numpy.tanh(row[2 * count :] + reset * memory[2 * count :])
        hidden = update * hidden + (1 - update) * fresh
        states.append(hidden)
    return tied(sigmoid(numpy.stack(states) @ out + rows @ skip + out0))
