"""Judges the detector by talkers and tunes that it was not taught: judge.py CORPUS CACHE WEIGHTS.

Speech is English prompts and a reader of LibriVox at -26 dBFS, four seconds of noise first; in per cent, of 10 ms each,
what is kept of the speech and what is passed between the words; the same as a VOX of 0.7 s hears it in noise alone.
"""

import sys

import jax.nn
import numpy

import corpus
import features
import train

READER = "usr/share/pocketsphinx/test/data/librivox"
THRESHOLDS = (0.6, 0.35)


def speech(root):
    prompts = [corpus.decode(f"{root}/{corpus.SOUNDS}/en_US_f_Allison/{name}.g722")
               for name in ("demo-instruct", "demo-congrats")]
    paths = sorted(corpus.pathlib.Path(root).rglob("*librivox*/*.wav"))
    read = [corpus.decode(path) for path in paths] or [
        corpus.decode(path) for path in sorted(corpus.pathlib.Path("/usr/share/pocketsphinx").rglob("sense*.wav"))]
    sounds = [sound / corpus.active(sound) for sound in prompts + read]
    return numpy.concatenate([numpy.concatenate([sound, numpy.zeros(corpus.RATE // 2)]) for sound in sounds])


def noises(root, cache, frames):
    draw = numpy.random.default_rng(11)
    tunes = numpy.concatenate([corpus.decode(f"{root}/{corpus.GAME}/Music/{name}.ogg") for name in corpus.JUDGED_TUNES])
    everybody = corpus.talkers(root, cache)[:3]
    pink = numpy.fft.irfft(numpy.fft.rfft(draw.standard_normal(frames)) / numpy.sqrt(numpy.arange(frames // 2 + 1) + 1),
                           frames)
    return {"pink": pink, "rock": numpy.resize(tunes, frames), "babble": corpus.crowd(draw, everybody, frames, 24)}


def decisions(weights, sound):
    chance = numpy.asarray(jax.nn.sigmoid(train.logits(weights, features.features(sound)[None])[0]))
    said, result = False, numpy.zeros(len(chance), bool)
    for hop, value in enumerate(chance):
        said = value > (THRESHOLDS[1] if said else THRESHOLDS[0])
        result[hop] = said
    return result


def main():
    root, cache, path = sys.argv[1:4]
    weights = dict(numpy.load(path))
    clean = numpy.concatenate([numpy.zeros(4 * corpus.RATE), speech(root)])
    clean = clean[: len(clean) // features.HOP * features.HOP]
    marks = corpus.is_speech(clean)
    clean *= 10 ** (-26 / 20)
    cases = {"none": clean}
    for name, noise in noises(root, cache, len(clean)).items():
        for ratio in (20, 10, 5, 0):
            cases[f"{name} {ratio} dB"] = clean + noise / corpus.level(noise) * 10 ** ((-26 - ratio) / 20)
    for name, sound in cases.items():
        said = decisions(weights, sound)[: len(marks)]
        late = numpy.argmax(said[numpy.argmax(marks):])
        print(f"{name:14} kept {100 * said[marks].mean():5.1f}, passed {100 * said[~marks].mean():5.1f}, "
              f"before the first word {100 * said[:390].mean():5.1f}, first word after {10 * late} ms")


if __name__ == "__main__":
    main()
