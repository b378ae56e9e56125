"""Teaches the correction behind RNNoise, and writes it as Swift: train.py CORPUS.npz... > Sources/Voice/CorrectionWeights.swift.

The corpora are of corpus.py. What is left, with the gains the network gives, is to be as loud in each band as the clean
voice, where both are raised to a power, so that soft sounds count. Adam (Kingma, Ba 2015); seeded.
"""

import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).parent.parent / "detector"))
from export import SCALE, swift

HIDDEN, EPOCHS, BATCH, SEED = 48, 20, 512, 5
POWER = 0.35
# Of what the network says: 10 dB.
LEAST, MOST = -2, 1


class Network:
    def __init__(self, draw, inputs, outputs):
        self.weights = []
        for count, next_count in ((inputs, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, outputs)):
            self.weights += [draw.standard_normal((count, next_count)) / numpy.sqrt(count), numpy.zeros(next_count)]
        self.weights[4] *= 0.1
        self.weights = [values.astype(numpy.float32) for values in self.weights]
        self.moments = [(numpy.zeros_like(values), numpy.zeros_like(values)) for values in self.weights]
        self.steps = 0

    def run(self, rows):
        one, one_bias, two, two_bias, last, last_bias = self.weights
        inner = numpy.tanh(rows @ one + one_bias)
        outer = numpy.tanh(inner @ two + two_bias)
        return inner, outer, outer @ last + last_bias

    def step(self, rows, slope_of, rate):
        inner, outer, said = self.run(rows)
        slope = slope_of(said)
        outer_slope = slope @ self.weights[4].T * (1 - outer**2)
        inner_slope = outer_slope @ self.weights[2].T * (1 - inner**2)
        slopes = [rows.T @ inner_slope, inner_slope.sum(0), inner.T @ outer_slope, outer_slope.sum(0),
                  outer.T @ slope, slope.sum(0)]
        self.steps += 1
        for values, slope, (mean, square) in zip(self.weights, slopes, self.moments):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            values -= rate * (mean / (1 - 0.9**self.steps)) / (numpy.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)


def main():
    files = [numpy.load(path) for path in sys.argv[1:]]
    rows, left, clean = (numpy.concatenate([file[name] for file in files]) for name in ("features", "left", "clean"))
    # As loud as silence is at least; and what is left of a pause is no more than 15 dB too loud, or pauses were all.
    left, clean = left + 1e-5, clean + 1e-5
    left = numpy.clip(left, clean * 10**-0.6, clean * 10**1.5)
    left, clean = left**POWER, clean**POWER
    usual = numpy.sqrt(numpy.mean(clean**2, axis=0))
    left, clean = left / usual, clean / usual
    middle, spread = rows.mean(0), rows.std(0) + 0.05
    rows = (rows - middle) / spread
    draw = numpy.random.default_rng(SEED)
    network = Network(draw, rows.shape[1], left.shape[1])
    bent = numpy.log(10) * POWER

    def result(said, part):
        return left[part] * numpy.exp(bent * numpy.clip(said, LEAST, MOST))

    kept = len(rows) * 9 // 10
    for epoch in range(EPOCHS):
        rate = 2e-3 * (1 - epoch / EPOCHS) + 1e-4
        order = draw.permutation(kept)
        for start in range(0, kept - BATCH, BATCH):
            part = order[start : start + BATCH]

            def slope(said):
                now = result(said, part)
                return 2 * (now - clean[part]) * now * bent / now.size

            network.step(rows[part], slope, rate)
        test = slice(kept, None)
        error = numpy.mean((result(network.run(rows[test])[2], test) - clean[test]) ** 2)
        print(epoch, error, numpy.mean((left[test] - clean[test]) ** 2), file=sys.stderr, flush=True)
    # The middle and the spread of what it is given go into the first weights.
    one, one_bias, *rest = network.weights
    one_bias = one_bias - (middle / spread) @ one
    one = one / spread[:, None]
    print("largest weight", max(numpy.abs(one).max(), numpy.abs(one_bias).max()), "of", 32767 / SCALE, file=sys.stderr)
    layers = [one, one_bias, *rest]
    numpy.savez("correction.npz", *layers)
    values = numpy.concatenate([layer.T.reshape(-1) for layer in layers])
    swift("CorrectionWeights", "the correction behind RNNoise", "correction", "CorrectionNetwork", values)


if __name__ == "__main__":
    main()
