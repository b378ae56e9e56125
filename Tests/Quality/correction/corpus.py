"""Speech in noise and what RNNoise makes of it, to learn from: corpus.py LIBRNNOISE SOUNDS SEED CLIPS FILE.npz.

SOUNDS is where Debian packages were unpacked (`./dev bench voice` does). None of what the bench judges is in it: prompts in
French, Italian and Russian, other tunes of the game than Rock and City, crowds of other prompts.
"""

import ctypes
import pathlib
import sys

import numpy
from scipy.signal import lfilter

sys.path += [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "voice")]
import sounds
from features import BLOCK, energies, features
from sounds import GAME, PROMPTS, RATE, SPEECH_DBFS, TALKERS, level, spoken

FRAMES = 12 * RATE
# The prompts that crowds of the bench are of.
JUDGED_PROMPTS = 40
FLOATS = ctypes.POINTER(ctypes.c_float)


class RNNoise:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.rnnoise_create.restype = ctypes.c_void_p
        self.library.rnnoise_create.argtypes = [ctypes.c_void_p]
        self.library.rnnoise_destroy.argtypes = [ctypes.c_void_p]
        self.library.rnnoise_process_frame.restype = ctypes.c_float
        self.library.rnnoise_process_frame.argtypes = [ctypes.c_void_p, FLOATS, FLOATS]

    def run(self, sound):
        """What it makes of it, a block late, and the probability of a voice in each block."""
        out = numpy.ascontiguousarray(sound * 32768, numpy.float32)
        state = self.library.rnnoise_create(None)
        voice = numpy.zeros(len(out) // BLOCK)
        for index in range(len(voice)):
            block = ctypes.cast(out.ctypes.data + 4 * BLOCK * index, FLOATS)
            voice[index] = self.library.rnnoise_process_frame(state, block, block)
        self.library.rnnoise_destroy(state)
        return out.astype(float) / 32768, voice


class Corpus:
    def __init__(self, root, seed):
        self.material, self.draw, self.kept = sounds.Material(root), numpy.random.default_rng(seed), {}
        root = self.material.root
        self.prompts = {talker: sorted((root / PROMPTS / talker).glob("*.g722"), key=lambda path: (-path.stat().st_size, path.name))
                        for talker in TALKERS}
        self.tunes = [path for path in sorted((root / GAME / "Music").glob("*.ogg")) if path.stem not in ("Rock", "City")]

    def decoded(self, path):
        if path not in self.kept:
            self.kept[path] = sounds.decode(path)
        return self.kept[path]

    def line(self, talker, first, pause):
        """What a talker says, prompt after prompt."""
        parts, frames = [], 0
        while frames < FRAMES:
            sound = self.decoded(self.prompts[talker][first + self.draw.integers(120)])
            parts += [spoken(sound), numpy.zeros(int(self.draw.uniform(0, pause) * RATE))]
            frames += len(sound) + len(parts[-1])
        return numpy.nan_to_num(numpy.concatenate(parts)[:FRAMES])

    def speech(self):
        line = self.line(TALKERS[1 + self.draw.integers(3)], 0, 0.5)
        # A microphone of another colour.
        return spoken(lfilter([1, self.draw.uniform(-0.3, 0.3)], [1], line))

    def noise(self):
        kind = self.draw.random()
        if kind < 0.6:
            tune = self.decoded(self.tunes[self.draw.integers(len(self.tunes))])
            sound = numpy.resize(tune[self.draw.integers(max(1, len(tune) - FRAMES)) :], FRAMES)
        elif kind < 0.9:
            sound = sum(self.line(TALKERS[self.draw.integers(4)], JUDGED_PROMPTS, 0) * 10 ** (self.draw.uniform(-4, 4) / 20)
                        for _ in range(24))
            sound = sounds.room(sound, 0.8, self.draw)
        else:
            spectrum = numpy.fft.rfft(self.draw.standard_normal(FRAMES))
            sound = numpy.fft.irfft(spectrum / (numpy.arange(len(spectrum)) + 20) ** self.draw.uniform(0, 1), FRAMES)
        return sound / max(level(sound), 1e-4)


def centred(sound):
    """So that the window of a block ends 5 ms behind it: gains are to be right at a block's end."""
    return numpy.concatenate([sound[BLOCK // 2 :], numpy.zeros(BLOCK // 2)])


def main():
    library, root, seed, clips, path = sys.argv[1:]
    rnnoise, corpus = RNNoise(library), Corpus(root, int(seed))
    rows = []
    while len(rows) < int(clips):
        clean = corpus.speech()
        mixed = clean + corpus.noise() * 10 ** ((SPEECH_DBFS - corpus.draw.uniform(-2, 22)) / 20)
        gain = 10 ** (corpus.draw.uniform(-8, 4) / 20)
        clean, mixed = clean * gain, numpy.clip(mixed * gain, -1, 1)
        if numpy.max(numpy.abs(clean)) > 1:
            continue
        left, voice = rnnoise.run(mixed)
        late = numpy.concatenate([numpy.zeros(BLOCK), clean[:-BLOCK]])
        part = slice(50, None)
        rows.append([features(mixed, left, voice)[part], energies(centred(left))[part], energies(centred(late))[part]])
        print(len(rows), flush=True)
    columns = [numpy.concatenate(column).astype(numpy.float32) for column in zip(*rows)]
    numpy.savez(path, **dict(zip(("features", "left", "clean"), columns)))


if __name__ == "__main__":
    main()
