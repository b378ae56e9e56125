"""Trains the detector of speech and writes its weights: train.py CORPUS CACHE WEIGHTS [--hours N] [--rounds N].

CORPUS is a folder into which the packages of packages.txt were unpacked (dpkg-deb -x). A quarter of an hour on two cores.
The weights in the program were trained in stages, each --start from the one before, while corpus.py got its last kinds of
noise: --rounds 30; --hours 2 --rounds 12 --seed 8 --rate 2e-3, the mean of both; --rounds 10 --seed 9.
"""

import argparse
import functools

import jax
import jax.numpy as jnp
import numpy
import optax

import corpus
import features

DENSE, STATE = 32, 52
SECONDS = 12


def draw_weights(seed):
    draw = numpy.random.default_rng(seed)

    def matrix(rows, columns):
        return (draw.standard_normal((rows, columns)) / numpy.sqrt(columns)).astype(numpy.float32)

    return {
        "in": matrix(DENSE, features.COUNT), "in0": numpy.zeros(DENSE, numpy.float32),
        "x": matrix(3 * STATE, DENSE), "x0": numpy.zeros(3 * STATE, numpy.float32),
        "h": matrix(3 * STATE, STATE), "h0": numpy.zeros(3 * STATE, numpy.float32),
        "out": matrix(1, STATE), "out0": numpy.zeros(1, numpy.float32),
    }


def logits(weights, rows):
    """For batches × hops × features, batches × hops: what the sigmoid makes a probability of."""
    dense = jnp.tanh(rows @ weights["in"].T + weights["in0"])
    inputs = dense @ weights["x"].T + weights["x0"]

    def step(state, given):
        own = state @ weights["h"].T + weights["h0"]
        update = jax.nn.sigmoid(given[:, :STATE] + own[:, :STATE])
        reset = jax.nn.sigmoid(given[:, STATE : 2 * STATE] + own[:, STATE : 2 * STATE])
        fresh = jnp.tanh(given[:, 2 * STATE :] + reset * own[:, 2 * STATE :])
        state = update * state + (1 - update) * fresh
        return state, state @ weights["out"].T + weights["out0"]

    _, result = jax.lax.scan(step, jnp.zeros((rows.shape[0], STATE)), jnp.swapaxes(inputs, 0, 1))
    return jnp.swapaxes(result[:, :, 0], 0, 1)


def loss(weights, rows, marks):
    return optax.sigmoid_binary_cross_entropy(logits(weights, rows), marks).mean()


def material(root, cache, hours, seed):
    store = f"{cache}/features-{hours:g}-{seed}.npz"
    try:
        loaded = numpy.load(store)
        return loaded["rows"], loaded["marks"]
    except FileNotFoundError:
        pass
    draw = numpy.random.default_rng(seed)
    everybody, music = corpus.talkers(root, cache), corpus.tunes(root, cache)
    # The three who read prompts say more than all the others.
    everybody = everybody[:3] * 3 + everybody[3:]
    rows, marks = [], []
    for _ in range(int(hours * 3600 / SECONDS)):
        mixed, said = corpus.mixture(draw, everybody, music, SECONDS)
        rows.append(features.features(mixed))
        marks.append(said.astype(numpy.float32))
    rows, marks = numpy.stack(rows), numpy.stack(marks)
    numpy.savez(store, rows=rows, marks=marks)
    return rows, marks


def train(rows, marks, rounds, rate, start):
    draw = numpy.random.default_rng(3)
    weights, batch = start or draw_weights(5), 32
    held = len(rows) // 12
    steps = rounds * ((len(rows) - held) // batch)
    optimiser = optax.chain(
        optax.clip_by_global_norm(1.0), optax.adam(optax.cosine_decay_schedule(rate, steps)))
    state = optimiser.init(weights)

    @functools.partial(jax.jit)
    def step(weights, state, rows, marks):
        value, slope = jax.value_and_grad(loss)(weights, rows, marks)
        change, state = optimiser.update(slope, state)
        return optax.apply_updates(weights, change), state, value

    judge = jax.jit(lambda weights: logits(weights, rows[:held]))
    for number in range(rounds):
        order = held + draw.permutation(len(rows) - held)
        for start in range(0, len(order) - batch + 1, batch):
            chosen = numpy.sort(order[start : start + batch])
            weights, state, value = step(weights, state, rows[chosen], marks[chosen])
        said = numpy.asarray(judge(weights)) > 0
        hit, false = said[marks[:held] > 0.5].mean(), said[marks[:held] < 0.5].mean()
        print(f"round {number}: loss {value:.4f}, held back: {hit:.3f} kept, {false:.3f} passed", flush=True)
    return {name: numpy.asarray(value) for name, value in weights.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("corpus")
    arguments.add_argument("cache")
    arguments.add_argument("weights")
    arguments.add_argument("--hours", type=float, default=5)
    arguments.add_argument("--rounds", type=int, default=40)
    arguments.add_argument("--rate", type=float, default=4e-3)
    arguments.add_argument("--seed", type=int, default=7)
    arguments.add_argument("--start", help="weights to go on from")
    chosen = arguments.parse_args()
    rows, marks = material(chosen.corpus, chosen.cache, chosen.hours, chosen.seed)
    print(f"{rows.shape[0] * SECONDS / 3600:.1f} hours, {marks.mean():.2f} of them speech", flush=True)
    start = dict(numpy.load(chosen.start)) if chosen.start else None
    numpy.savez(chosen.weights, **train(rows, marks, chosen.rounds, chosen.rate, start))


if __name__ == "__main__":
    main()
