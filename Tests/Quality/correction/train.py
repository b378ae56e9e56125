"""Teaches the network behind RNNoise: train.py MINUTES WEIGHTS.npz HELD.npz CORPUS.npz... [--start WEIGHTS.npz]
[--rate RATE].

The corpora are of corpus.py; HELD is only looked at. What is to be learned: masks of bands, and how much of RNNoise's
result, with which the sum is as loud, raised to a power, as the clean voice (and less where their phases differ), with
more weight on what is taken of the voice than on what is left of noise, and on the beginnings of words; and, as STOI
looks at it (Taal et al. 2011), whose envelopes of third octaves go as the voice's in each 0.38 s. Adam (Kingma, Ba
2015) with decay; seeded, but as many steps as there is time for, of as many pieces as there are processors. It wants
jax (packages.txt).
"""

import argparse
import os
import pathlib
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
import jax
import jax.numpy as jnp
import numpy

sys.path.append(str(pathlib.Path(__file__).parent))
from features import BANDS, FINE_BINS, GROUPS, HERTZ, NAMES, SHAPES, WIDTH, tied

# Each takes a share of the pieces.
PROCESSORS = os.cpu_count() or 1
DENSE, STATE, SEED = 64, 160, 5
# Pieces a processor takes at once.
BATCH, SEGMENT, PARTS = 24, 38, 7
# How many of the first blocks of a piece are not judged, as the network has heard nothing before.
WARM = SEGMENT
POWER = 0.15
# Below what is usual in a unit, dB, all is silence.
SILENCE = 50
# Weights of what is taken too much of the voice, and of what STOI sees.
TAKEN, CLARITY = 0.1, 3.0
# How much more the beginning of a word counts: where it is so many dB louder than all from 60 to 250 ms before.
ONSET, RISE, PAST = 3.0, 12, (6, 26)
# By how much, of their spread, the features of a piece are moved; and what weights lose in each step, of the rate.
STRANGE, DECAY = 0.2, 0.03
# Kept is the mean of the weights of some of the last steps.
MEAN = 0.995
ORDER = ("dense", "dense0", "given", "given0", "own", "own0", "out", "skip", "out0")


def first(draw):
    def some(rows, columns, scale=1.0):
        return (draw.standard_normal((rows, columns)) * scale / numpy.sqrt(rows)).astype(numpy.float32)

    bands = len(BANDS) + 1
    layers = [some(WIDTH, DENSE), numpy.zeros(DENSE), some(DENSE, 3 * STATE), numpy.zeros(3 * STATE),
              some(STATE, 3 * STATE), numpy.zeros(3 * STATE), some(STATE, bands, 0.3), some(WIDTH, bands, 0.1),
              numpy.zeros(bands) + 1]
    # It remembers at first.
    layers[3][:STATE] = 1
    return [jnp.asarray(layer, jnp.float32) for layer in layers]


def masks(layers, rows):
    """Of rows of features, time by clips: the bands' masks, and last how much of RNNoise's result is added."""
    dense, dense0, given, given0, own, own0, out, skip, out0 = layers
    inner = jnp.tanh(rows @ dense + dense0) @ given + given0

    def step(hidden, row):
        memory = hidden @ own + own0
        gates = jax.nn.sigmoid(row[:, : 2 * STATE] + memory[:, : 2 * STATE])
        update, reset = gates[:, :STATE], gates[:, STATE:]
        fresh = jnp.tanh(row[:, 2 * STATE :] + reset * memory[:, 2 * STATE :])
        hidden = update * hidden + (1 - update) * fresh
        return hidden, hidden

    _, states = jax.lax.scan(step, jnp.zeros((rows.shape[1], STATE)), inner, unroll=4)
    return tied(jax.nn.sigmoid(states @ out + rows @ skip + out0), jnp)


def unit_shapes():
    fine = SHAPES[:, :FINE_BINS]
    groups = [SHAPES[:, start:end].mean(1, keepdims=True) for start, end in zip(GROUPS, GROUPS[1:])]
    return numpy.concatenate([fine, *groups], axis=1).astype(numpy.float32)


def thirds():
    """Which units are each third octave's, as STOI has them."""
    rows = numpy.zeros((FINE_BINS + len(GROUPS) - 1, 15), numpy.float32)
    for index in range(15):
        middle = 150 * 2 ** (index / 3)
        low, high = (numpy.argmin(numpy.abs(HERTZ - middle * 2**side)) for side in (-1 / 6, 1 / 6))
        rows[low : max(high, low + 1), index] = 1
    return rows


UNITS, THIRDS = unit_shapes(), thirds()


def envelopes(energy):
    """Of time by clips by units; some 25 ms each."""
    smooth = 0.5 * energy + 0.25 * (jnp.roll(energy, 1, axis=0) + jnp.roll(energy, -1, axis=0))
    return jnp.sqrt(smooth @ THIRDS + 1e-9)


def clarity(energy, clean):
    """STOI, about."""
    heard, wanted = (envelopes(part).reshape(-1, SEGMENT, *part.shape[1:2], 15) for part in (energy, clean))
    audible = jnp.sum(jnp.mean(wanted**2, axis=1), axis=-1) > 10**-4 * jnp.max(jnp.sum(wanted**2, axis=-1), axis=(0, 1))
    ratio = jnp.sqrt(jnp.sum(wanted**2, axis=1) / (jnp.sum(heard**2, axis=1) + 1e-9))[:, None]
    heard = jnp.minimum(heard * ratio, wanted * (1 + 10**0.75))

    def centred(part):
        part = part - part.mean(1, keepdims=True)
        return part / jnp.sqrt(jnp.sum(part**2, axis=1, keepdims=True) + 1e-9)

    likeness = jnp.sum(centred(heard) * centred(wanted), axis=1).mean(-1)
    return jnp.sum(likeness * audible) / (jnp.sum(audible) + 1e-3)


def onsets(clean):
    """Of time by clips by units, 1 at the beginnings of words and 0 elsewhere."""
    level = 10 * jnp.log10(clean.sum(-1) + 1e-9)
    level = jnp.maximum(level, level.max(0, keepdims=True) - 40)
    before = jnp.max(jnp.stack([jnp.roll(level, lag, axis=0) for lag in range(*PAST)]), axis=0)
    return jax.nn.sigmoid(level - before - RISE).at[: PAST[1]].set(0)


def losses(layers, batch, usual):
    rows, *rest = batch
    said = masks(layers, rows)[WARM:]
    coming, clean, left, coming_clean, coming_left, clean_left = (part[WARM:] for part in rest)
    coming, clean, left = (10 ** (part / 20) for part in (coming, clean, left))
    one, other = (said[..., :-1] @ UNITS) * coming, said[..., -1:] * left
    heard = jnp.maximum(one**2 + other**2 + 2 * one * other * coming_left, 0)
    likeness = (one * coming_clean + other * clean_left) / jnp.sqrt(heard + 1e-9)
    clean = clean**2
    floor = usual * 10 ** (-SILENCE / 10)
    scale = usual**-POWER
    one, two = ((energy + floor) ** POWER * scale for energy in (heard, clean))
    weights = jnp.concatenate([jnp.ones(FINE_BINS), jnp.full(len(GROUPS) - 1, 3.0)])
    weights /= weights.mean()
    weights *= 1 + ONSET * onsets(clean)[..., None]
    apart = jnp.mean(weights * (one - two) ** 2)
    turned = jnp.mean(weights * one * two * (1 - jnp.clip(likeness, -1, 1)))
    taken = jnp.mean(weights * jnp.maximum(two - one, 0) ** 2)
    like = clarity(heard, clean)
    return apart + turned + TAKEN * taken + CLARITY * (1 - like), (apart, turned, taken, like)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("minutes", type=float)
    parser.add_argument("weights")
    parser.add_argument("held")
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--start")
    parser.add_argument("--rate", type=float, default=3e-3)
    options = parser.parse_args()
    # Of each corpus clips by time by values.
    corpora = [[file[name] for name in NAMES] for file in map(numpy.load, options.corpora)]
    file = numpy.load(options.held)
    held = [numpy.ascontiguousarray(file[name].astype(numpy.float32).transpose(1, 0, 2)) for name in NAMES]
    whole = held[0].shape[0] // SEGMENT * SEGMENT
    held = [part[:whole] for part in held]
    some = corpora[0][0][::2].reshape(-1, WIDTH).astype(numpy.float32)
    middle, spread = some.mean(0), some.std(0) + 0.1
    energy = 10 ** (corpora[0][2][::3].astype(numpy.float32) / 10)
    usual = energy.mean((0, 1)) + 1e-9
    held[0] = (held[0] - middle) / spread
    jax.config.update("jax_num_cpu_devices", PROCESSORS)
    mesh = jax.make_mesh((PROCESSORS,), ("clips",))
    shares, same = (jax.NamedSharding(mesh, jax.P(*axes)) for axes in ((None, "clips"), ()))
    draw = numpy.random.default_rng(SEED)
    layers = first(draw)
    if options.start:
        kept = numpy.load(options.start)
        layers = [jnp.asarray(kept[name]) for name in ORDER]
        # They are kept with the middle and the spread in them.
        layers[1], layers[8] = layers[1] + middle @ layers[0], layers[8] + middle @ layers[7]
        layers[0], layers[7] = layers[0] * spread[:, None], layers[7] * spread[:, None]
    layers = jax.device_put(layers, same)
    moments = [(jnp.zeros_like(layer), jnp.zeros_like(layer)) for layer in layers]

    @jax.jit
    def step(layers, moments, batch, rate, count):
        (loss, parts), slopes = jax.value_and_grad(losses, has_aux=True)(layers, batch, usual)
        size = jnp.sqrt(sum(jnp.sum(slope**2) for slope in slopes))
        slopes = [slope * jnp.minimum(1, 1 / (size + 1e-9)) for slope in slopes]
        moments = [(0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2)
                   for slope, (mean, square) in zip(slopes, moments)]
        layers = [layer - rate * ((mean / (1 - 0.9**count)) / (jnp.sqrt(square / (1 - 0.999**count)) + 1e-8) + DECAY * layer)
                  for layer, (mean, square) in zip(layers, moments)]
        return layers, moments, jnp.stack([loss, *parts])

    test = jax.jit(lambda layers, held: jnp.stack([*jax.tree.leaves(losses(layers, held, usual))]))

    def keep(layers):
        dense, dense0, given, given0, own, own0, out, skip, out0 = map(numpy.asarray, layers)
        dense, skip = dense / spread[:, None], skip / spread[:, None]
        kept = [dense, dense0 - middle @ dense, given, given0, own, own0, out, skip, out0 - middle @ skip]
        numpy.savez(options.weights, **dict(zip(ORDER, kept)))

    frames = (PARTS + 1) * SEGMENT
    began, count, recent, means = time.monotonic(), 0, [], layers
    while True:
        done = (time.monotonic() - began) / (60 * options.minutes)
        if done >= 1:
            break
        pieces = []
        for _ in range(BATCH * PROCESSORS):
            corpus = corpora[draw.integers(len(corpora))]
            clip, start = draw.integers(len(corpus[0])), draw.integers(corpus[0].shape[1] - frames + 1)
            pieces.append([part[clip, start : start + frames] for part in corpus])
        batch = [numpy.stack(parts, axis=1).astype(numpy.float32) for parts in zip(*pieces)]
        batch[0] = (batch[0] - middle) / spread
        # Other voices and microphones yet.
        batch[0] += STRANGE * draw.standard_normal((1, *batch[0].shape[1:]), numpy.float32)
        count += 1
        rate = options.rate * min(1, count / 50) * (0.02 + 0.98 * 0.5 * (1 + numpy.cos(numpy.pi * done)))
        batch = jax.device_put(batch, shares)
        layers, moments, loss = step(layers, moments, batch, rate, count)
        share = max(1 - MEAN, 1 / count)
        means = [mean + share * (layer - mean) for mean, layer in zip(means, layers)]
        recent.append(loss)
        if count % 150 == 0:
            judged = numpy.asarray(test(means, held))
            keep(means)
            print(count, f"{done:.2f}", numpy.mean(recent, axis=0).round(4), "held", judged.round(4), flush=True)
            recent = []


if __name__ == "__main__":
    main()
