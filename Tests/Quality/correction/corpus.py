"""Speech in noise and what RNNoise makes of it: corpus.py LIBRNNOISE SOUNDS TALKERS SEED CLIPS FILE.npz [held].

SOUNDS is where the packages of packages.txt were unpacked (dpkg-deb -x), TALKERS is of talkers.py. No talker and no
tune that the bench judges is in it: prompts in French, Italian and Russian but for those of which the bench makes
crowds, words of children's games in many languages, voices and other tunes of a third game than Rock and City, tunes of
more games. `held`: talkers and tunes that are in nothing else but crowds, to choose by. The weights in the program
learned from seeds 7101 to 7104, 400 clips each, the first two without `tinted`.
"""

import ctypes
import pathlib
import sys

import numpy
import parselmouth
from parselmouth.praat import call
from scipy.io import wavfile
from scipy.signal import butter, lfilter, sosfilt

sys.path += [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "voice")]
import sounds
from features import BLOCK, FINE_BINS, GROUPS, NAMES, features, spectra
from sounds import GAME, PROMPTS, RATE, SPEECH_DBFS, TALKERS, level, spoken, trimmed

FRAMES = 12 * RATE
# The longest prompts are what crowds of the bench are of; those that are shortest are hardly words.
FIRST, LAST = 24, 240
HELD_TUNES = ("Brick", "hell", "Freeway", "torcs1")
# Radio amateurs, and a woman of another game.
HELD_TALKERS = ("codec2", "warzone")
# Gains of a microphone at these frequencies, dB.
TINT_HERTZ, TINT_DB = (80, 200, 500, 1200, 3000, 7000, 16000), (-5, 5)
# What plays in more games.
MUSIC = ("games/*/1.16/data/core/music/*.ogg", "games/frozen-bubble/snd/*zik*.ogg", "games/etr/music/*.ogg",
         "games/colobot/music/*.ogg", "games/torcs/data/music/*.ogg", "asterisk/moh/*.g722")
# Hz, what a talker's voice is moved to, and by what ratios at most; and how far the length of the throat is changed.
PITCHES, MOVES, THROATS = (80, 240), (0.62, 1.5), (0.88, 1.14)
JUDGED_TUNES = ("Rock", "City")
# A folder a language, of one talker or two.
WORDS = ("usr/share/klettres/*", "usr/share/ktuberling/sounds/*")
# No voices to learn speech from.
STRANGE_VOICES = ("Robot", "Singer")
# From here on, dB below the voice, hiss is the room's and stays.
ROOM_DB = 35
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
    def __init__(self, root, talkers, seed, held=False):
        self.draw, self.kept, self.beds = numpy.random.default_rng(seed), {}, []
        root = pathlib.Path(root)
        self.prompts = {}
        for talker in TALKERS[1:]:
            paths = sorted((root / PROMPTS / talker).glob("*.g722"), key=lambda path: (-path.stat().st_size, path.name))
            self.prompts[talker] = paths[FIRST:LAST]
        game = root / GAME / "Sounds"
        self.voices = [sorted(folder.glob("*.ogg")) for folder in sorted((game / "voices").iterdir())
                       if folder.name not in STRANGE_VOICES]
        self.words = [sorted(folder.rglob("*.ogg")) for pattern in WORDS for folder in sorted(root.glob(pattern))]
        self.words = [paths for paths in self.words if len(paths) >= 12]
        # Each file is one line of speech already.
        self.talkers = [path for path in sorted(pathlib.Path(talkers).glob("*.wav"))
                        if path.stem.startswith(HELD_TALKERS) == held]
        self.effects = sorted(game.glob("*.ogg"))
        tunes = [path for path in sorted((root / GAME / "Music").glob("*.ogg")) if path.stem not in JUDGED_TUNES]
        tunes += [path for pattern in MUSIC for path in sorted((root / "usr/share").glob(pattern))]
        self.tunes = [path for path in tunes if (path.stem in HELD_TUNES) == held]
        self.held = held

    def decoded(self, path):
        if path not in self.kept:
            self.kept[path] = sounds.decode(path).astype(numpy.float32)
        return self.kept[path]

    def said(self, path):
        key = ("said", path)
        if key not in self.kept:
            sound = self.decoded(path)
            sound = trimmed(sound * 0.5 / max(numpy.max(numpy.abs(sound), initial=0), 1e-3))
            self.kept[key] = numpy.nan_to_num(spoken(sound)) if len(sound) > RATE // 5 else sound
        return self.kept[key]

    def chosen(self, paths):
        return paths[self.draw.integers(len(paths))]

    def line(self, paths, pause, frames=FRAMES, speed=1.0):
        """What a talker says, one thing after the other, as fast and as high as said."""
        parts, count = [], 0
        while count < frames * speed:
            parts += [self.said(self.chosen(paths)), numpy.zeros(int(self.draw.uniform(0, pause) * RATE))]
            count += len(parts[-1]) + len(parts[-2])
        sound = numpy.concatenate(parts)
        places = numpy.arange(frames) * speed
        return numpy.interp(places, numpy.arange(len(sound)), sound)

    def wider(self, sound):
        """Prompts end at 7 kHz, and most others at 8: what is above is made of what is below."""
        high = sosfilt(butter(4, [3000, 7000], "bandpass", fs=RATE, output="sos"), sound)
        time = numpy.arange(len(sound)) / RATE
        total = sound
        for shift, gain in ((4500, -3), (8500, -9), (12500, -16)):
            moved = 2 * high * numpy.cos(2 * numpy.pi * shift * time)
            moved = sosfilt(butter(6, shift + 2800, "highpass", fs=RATE, output="sos"), moved)
            total = total + moved * 10 ** ((gain + self.draw.uniform(-6, 3)) / 20)
        return total

    def talk(self, path, speed, frames=FRAMES):
        """A piece of what a talker of talkers.py says."""
        if path not in self.kept:
            self.kept[path] = wavfile.read(path)[1].astype(numpy.float32) / 32768
        sound, count = self.kept[path], int(frames * speed) + 2
        start = self.draw.integers(max(1, len(sound) - count))
        sound = numpy.resize(sound[start : start + count], count)
        return numpy.interp(numpy.arange(frames) * speed, numpy.arange(count), sound)

    def moved(self, line):
        """As somebody with another pitch and throat would say it (Praat's overlap-add), if it has a pitch."""
        sound = parselmouth.Sound(line, RATE)
        pitches = sound.resample(16000).to_pitch(pitch_floor=60, pitch_ceiling=450).selected_array["frequency"]
        pitches = pitches[pitches > 0]
        if len(pitches) < 50:
            return line
        middle = numpy.median(pitches)
        wanted = numpy.clip(numpy.exp(self.draw.uniform(*numpy.log(PITCHES))), *(middle * ratio for ratio in MOVES))
        throat, lively = self.draw.uniform(*THROATS), self.draw.uniform(0.7, 1.4)
        try:
            said = call(sound, "Change gender", 60, 450, throat, wanted, lively, 1.0).values[0]
        except parselmouth.PraatError:
            return line
        return numpy.resize(said[:FRAMES], FRAMES)

    def tinted(self, line):
        """As dull or bright microphones make it; some end where telephones do, or cheap radios."""
        hertz = numpy.fft.rfftfreq(len(line), 1 / RATE)
        gains = self.draw.uniform(*TINT_DB, len(TINT_HERTZ)) * (self.draw.random() < 0.7)
        gains = gains + self.draw.uniform(-0.5, 0.5) * numpy.arange(len(TINT_HERTZ)) * TINT_DB[1]
        response = 10 ** (numpy.interp(numpy.log(hertz + 1), numpy.log(TINT_HERTZ), gains) / 20)
        if self.draw.random() < 0.15:
            response /= numpy.sqrt(1 + (hertz / self.draw.uniform(3400, 8000)) ** 24)
        return numpy.fft.irfft(numpy.fft.rfft(line) * response, len(line))

    def speech(self, lead):
        kind = 1 if self.held else self.draw.random()
        if kind < 0.12:
            line = self.line(self.chosen(self.voices), 0.3, speed=self.draw.uniform(0.85, 1.15))
        elif kind < 0.3:
            line = self.line(self.chosen(self.words), 0.2, speed=self.draw.uniform(0.85, 1.15))
        elif kind < 0.55:
            line = self.line(self.prompts[TALKERS[self.draw.integers(1, 4)]], 0.6, speed=self.draw.uniform(0.85, 1.15))
        else:
            line = self.talk(self.chosen(self.talkers), self.draw.uniform(0.88, 1.12))
        if not self.held and self.draw.random() < 0.45:
            line = self.moved(line)
        if kind > 0.3 and self.draw.random() < 0.6:
            line = self.wider(line)
        # A microphone of another colour, in a room.
        line = self.tinted(line)
        if self.draw.random() < 0.4:
            response = sounds.tail(self.draw.uniform(0.1, 0.4), self.draw)
            response *= self.draw.uniform(0.05, 0.4) / numpy.sqrt(numpy.sum(response**2))
            response[0] = 1
            line = sounds.fftconvolve(line, response)[:FRAMES]
        line[: int(lead * RATE)] = 0
        return numpy.nan_to_num(spoken(line))

    def coloured(self, slope=1.0):
        spectrum = numpy.fft.rfft(self.draw.standard_normal(FRAMES))
        sound = numpy.fft.irfft(spectrum / (numpy.arange(len(spectrum)) / 1000 + 1) ** self.draw.uniform(0, slope), FRAMES)
        return sound / level(sound)

    def crowd(self):
        """A piece of a minute of 24 talkers in a hall; there are a few of those."""
        if len(self.beds) < (2 if self.held else 5):
            total = 0
            for _ in range(24):
                speed = self.draw.uniform(0.85, 1.15)
                if self.draw.random() < 0.5:
                    voice = self.talk(self.chosen(self.talkers), speed, 3 * FRAMES)
                else:
                    voice = self.line(self.prompts[TALKERS[self.draw.integers(1, 4)]], 0.05, 3 * FRAMES, speed)
                total = total + voice * 10 ** (self.draw.uniform(-4, 4) / 20)
            self.beds.append(sounds.room(total, self.draw.uniform(0.4, 1.0), self.draw))
        bed = self.beds[self.draw.integers(len(self.beds))]
        start = self.draw.integers(len(bed) - FRAMES)
        return bed[start : start + FRAMES]

    def noise(self):
        """A noise, and how much lower than the voice it is, dB."""
        kind = self.draw.random()
        if kind < 0.62:
            tune = self.decoded(self.chosen(self.tunes))
            start = self.draw.integers(max(1, len(tune) - FRAMES)) * (self.draw.random() < 0.8)
            sound = numpy.resize(tune[start:], FRAMES)
            ratio = self.draw.uniform(-4, 16) if self.draw.random() < 0.8 else self.draw.uniform(16, 40)
        elif kind < 0.84:
            sound, ratio = self.crowd(), self.draw.uniform(-2, 20)
        elif kind < 0.94:
            beat = 1 + 0.5 * self.draw.random() * numpy.sin(2 * numpy.pi * self.draw.uniform(0.2, 4) * numpy.arange(FRAMES) / RATE)
            sound, ratio = self.coloured(1.5) * beat, self.draw.uniform(-2, 30)
        else:
            parts = [numpy.concatenate([self.decoded(self.chosen(self.effects)), numpy.zeros(int(self.draw.uniform(0, 1) * RATE))])
                     for _ in range(40)]
            sound, ratio = numpy.resize(numpy.concatenate(parts), FRAMES), self.draw.uniform(0, 20)
        sound = lfilter([1, self.draw.uniform(-0.4, 0.4)], [1], sound)
        return sound / max(level(sound), 1e-4), ratio

    def clip(self):
        """What comes in, and what shall be left of it."""
        while True:
            lead = self.draw.uniform(0.5, 3) if self.draw.random() < 0.4 else 0
            clean = self.speech(lead)
            hiss = self.coloured() * 10 ** ((SPEECH_DBFS - self.draw.uniform(ROOM_DB, 65)) / 20)
            if self.draw.random() < 0.22:
                if lead:
                    hiss[: int(lead * RATE)] = 0
                clean = clean + hiss * (self.draw.random() < 0.8)
                mixed = clean
            else:
                noise, ratio = self.noise()
                mixed = clean + hiss + noise * 10 ** ((SPEECH_DBFS - ratio) / 20)
            gain = 10 ** (self.draw.uniform(-14, 4) / 20)
            if numpy.max(numpy.abs(clean)) * gain <= 1:
                return numpy.clip(mixed * gain, -1, 1), clean * gain, gain


def units(rows):
    fine = rows[:, :FINE_BINS]
    groups = [rows[:, start:end].sum(1, keepdims=True) for start, end in zip(GROUPS, GROUPS[1:])]
    return numpy.concatenate([fine, *groups], axis=1)


def main():
    library, root, talkers, seed, clips, path, *held = sys.argv[1:]
    rnnoise, corpus = RNNoise(library), Corpus(root, talkers, int(seed), bool(held))
    rows = []
    while len(rows) < int(clips):
        mixed, clean, gain = corpus.clip()
        left, voice = rnnoise.run(mixed)
        given, parts = [], []
        # As loud as if the voice had its usual level; what RNNoise made is no later here.
        for sound in (mixed, clean, numpy.concatenate([left[BLOCK:], numpy.zeros(BLOCK)])):
            given.append(spectra(sound / gain))
            parts.append(units(numpy.abs(given[-1]) ** 2))
        alike = [units(numpy.real(given[one] * numpy.conj(given[two]))) / numpy.sqrt(parts[one] * parts[two] + 1e-20)
                 for one, two in ((0, 1), (0, 2), (1, 2))]
        parts = [features(given[0] * gain, left, voice), *(10 * numpy.log10(part + 1e-9) for part in parts), *alike]
        rows.append([part.astype(numpy.float16) for part in parts])
        if len(rows) % 20 == 0:
            print(len(rows), flush=True)
    numpy.savez(path, **dict(zip(NAMES, map(numpy.stack, zip(*rows)))))


if __name__ == "__main__":
    main()
