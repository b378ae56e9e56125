"""What BandMaskTests expects of the weights, last: twin.py WEIGHTS.npz; first without what is done in pauses."""

import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).parent))
from export import ORDER, quantised
from features import BLOCK, emptied, energies, features, made, masks_of, shaped, spectra

# Words of a second, then a pause of a second, of which RNNoise leaves a hundredth, then words again.
BLOCKS, PAUSE = 240, slice(101, 201)


def main():
    file = numpy.load(sys.argv[1])
    time = numpy.arange(BLOCKS * BLOCK) / 48000
    is_voice = numpy.arange(BLOCKS) // 10 % 3 != 2
    is_voice[PAUSE.start - 1 : PAUSE.stop - 1] = False
    part = numpy.full(BLOCKS, 0.5)
    part[PAUSE] = 0.01
    coming = numpy.repeat(is_voice, BLOCK) * 0.1 * numpy.sin(2 * numpy.pi * 440 * time)
    coming = coming + 0.03 * numpy.sin(2 * numpy.pi * 3000 * time)
    late = numpy.concatenate([numpy.zeros(BLOCK), coming[:-BLOCK]])
    left = late * numpy.repeat(part, BLOCK)
    spectrum = spectra(coming)
    rows = features(spectrum, left, numpy.where(is_voice, 0.9, 0.1))
    done = shaped(masks_of(quantised([file[name] for name in ORDER]), rows))
    for masks in (done, emptied(done, rows, energies(spectrum))):
        heard = made(spectrum, left, masks)
        power = [numpy.sum(sound.reshape(-1, BLOCK) ** 2, axis=1) + 1e-20 for sound in (heard, late)]
        changes = 10 * numpy.log10(power[0] / power[1])
        print(", ".join(f"({block}, {changes[block]:.3f})" for block in (9, 29, 35, 55, 99, 118, 150, 201, 202, 205)))


if __name__ == "__main__":
    main()
