"""What BandMaskTests expects of the weights: twin.py WEIGHTS.npz."""

import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).parent))
from export import ORDER, quantised
from features import BLOCK, features, made, masks_of, shaped, spectra

BLOCKS = 100


def main():
    file = numpy.load(sys.argv[1])
    time = numpy.arange(BLOCKS * BLOCK) / 48000
    is_voice = numpy.arange(BLOCKS) // 10 % 3 != 2
    coming = numpy.repeat(is_voice, BLOCK) * 0.1 * numpy.sin(2 * numpy.pi * 440 * time)
    coming = coming + 0.03 * numpy.sin(2 * numpy.pi * 3000 * time)
    left = numpy.concatenate([numpy.zeros(BLOCK), coming[:-BLOCK]]) / 2
    spectrum = spectra(coming)
    rows = features(spectrum, left, numpy.where(is_voice, 0.9, 0.1))
    heard = made(spectrum, left, shaped(masks_of(quantised([file[name] for name in ORDER]), rows)))
    power = [numpy.sum(sound.reshape(-1, BLOCK) ** 2, axis=1) + 1e-20 for sound in (heard, left)]
    changes = 10 * numpy.log10(power[0] / power[1])
    print(", ".join(f"({block}, {changes[block]:.3f})" for block in (9, 29, 35, 55, 99)))


if __name__ == "__main__":
    main()
