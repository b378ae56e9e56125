"""`./dev demo --voice`: what the voice chain makes of a voice, as WAV files to listen to: examples.py COMLINK CORPUS FOLDER.

The files are numbered in the order to hear them in; the same each time.
"""

import argparse
import pathlib
import shutil

import numpy

import bench
import sounds
from sounds import LEAD, RATE, SPEECH_DBFS


def noisy(material, name, ratio):
    mixed, _ = bench.noisy(material, name, ratio)
    return mixed[LEAD - 2 * RATE : LEAD + 8 * RATE]


def examples(material):
    """Name, sound, what was played, settings."""
    for name, ratio in (("rock", 5), ("babble", 5), ("pink", 5)):
        mixed = noisy(material, name, ratio)
        for kind in ("off", "light", "strong", "strongest"):
            yield f"{name}-{ratio}-dB-suppress-{kind}", mixed, None, {"suppress": kind}
    quiet = material.speech()[: 8 * RATE] * 10 ** (-20 / 20)
    yield "quiet-gain-off", quiet, None, {}
    yield "quiet-gain-auto", quiet, None, {"gain": "auto"}
    scene = bench.Scene(material)
    part = slice(14 * RATE, 28 * RATE)
    yield "echo-off", scene.microphone[part], scene.reference[part], {}
    yield "echo-on", scene.microphone[part], scene.reference[part], {"echo": "on"}
    voice = material.speech()[: 8 * RATE]
    for effect in ("off", "radio", "reverb", "pitch", "pitch-4"):
        yield f"effect-{effect}", voice, None, {"effect": effect}


def main():
    parser = argparse.ArgumentParser()
    for name in ("comlink", "corpus", "folder"):
        parser.add_argument(name)
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    chain = bench.Chain(options.comlink, folder / "work")
    material = sounds.Material(options.corpus)
    for number, (name, sound, played, settings) in enumerate(examples(material), 1):
        heard, _ = chain.run(sound, played, **settings)
        path = folder / f"{number:02}-{name}.wav"
        bench.write(path, [numpy.asarray(heard)])
        print(path)
    shutil.rmtree(folder / "work")


if __name__ == "__main__":
    main()
