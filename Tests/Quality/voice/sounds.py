"""Speech, noise, rooms and echoes for `./dev bench voice`: out of Debian packages, at 48 kHz, the same each time."""

import pathlib
import subprocess

import numpy
from scipy.signal import butter, fftconvolve, resample, sosfilt

RATE = 48000
SPEECH_DBFS = -26
SEGMENT = 8 * RATE
LEAD = 4 * RATE
PROMPTS = "usr/share/asterisk/sounds"
GAME = "usr/share/games/hedgewars/Data"
READER = pathlib.Path("/usr/share/pocketsphinx/test/data/librivox")
TALKERS = ("en_US_f_Allison", "fr_CA_f_June", "it_IT_m_Carlo", "ru_RU_f_IvrvoiceRU")


def decode(path):
    """A file's sound."""
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"]
    return numpy.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, numpy.float32).astype(float)


def level(sound):
    return numpy.sqrt(numpy.mean(numpy.square(sound)) + 1e-15)


def decibels(ratio):
    return 20 * numpy.log10(max(ratio, 1e-9))


def is_active(sound, below=15.9, hangover=0.2):
    """For each 10 ms whether somebody talks: no more than so many dB below the active level (as ITU-T P.56)."""
    hop = RATE // 100
    power = numpy.mean(numpy.square(sound[: len(sound) // hop * hop].reshape(-1, hop)), axis=1)
    marks = power > 0
    for _ in range(10):
        threshold = numpy.mean(power[marks]) * 10 ** (-below / 10)
        marks = power > threshold
        held = marks.copy()
        for later in range(1, int(hangover * 100)):
            held[later:] |= marks[:-later]
        marks = held
    return marks


def spoken(sound):
    """The sound with an active level of ``SPEECH_DBFS``."""
    marks = numpy.repeat(is_active(sound), RATE // 100)
    return sound * 10 ** (SPEECH_DBFS / 20) / level(sound[: len(marks)][marks])


class Material:
    """What was unpacked below a folder."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.kept = {}

    def prompt(self, talker, name):
        return decode(self.root / PROMPTS / talker / f"{name}.g722")

    def prompts(self, talker, count):
        """The longest prompts of a talker, without those that are judged."""
        paths = (self.root / PROMPTS / talker).glob("*.g722")
        paths = [path for path in paths if path.stem not in ("demo-instruct", "demo-congrats")]
        paths = sorted(paths, key=lambda path: (-path.stat().st_size, path.name))
        return [decode(path) for path in paths[:count]]

    def english(self):
        return spoken(self.prompt(TALKERS[0], "demo-instruct")[RATE : RATE + SEGMENT])

    def reader(self):
        paths = sorted(READER.glob("*.wav"))
        sound = numpy.concatenate([decode(path) for path in paths])
        return spoken(sound[:SEGMENT])

    def excerpts(self):
        """All that both talkers say, by name, in segments of 8 s, without the rest."""
        prompts = [self.prompt(TALKERS[0], name)[RATE:] for name in ("demo-instruct", "demo-congrats")]
        reading = numpy.concatenate([decode(path) for path in sorted(READER.glob("*.wav"))])
        for name, sound in (("woman", prompts[0]), ("woman", prompts[1]), ("man", reading)):
            for start in range(0, len(sound) - SEGMENT + 1, SEGMENT):
                yield name, spoken(sound[start : start + SEGMENT])

    def speech(self):
        """Two segments of 8 s: a woman's prompt and a man who reads."""
        if "speech" not in self.kept:
            self.kept["speech"] = numpy.concatenate([self.english(), self.reader()])
        return self.kept["speech"]

    def reference(self):
        """Of each talker the 8 s that the figures of libraries, from which the aims are, fit best (docs/figures.md)."""
        woman = self.prompt(TALKERS[0], "demo-instruct")[2 * RATE :]
        man = numpy.concatenate([decode(path) for path in sorted(READER.glob("*.wav"))])[10 * RATE :]
        return [spoken(sound[:SEGMENT]) for sound in (woman, man)]

    def noise(self, name, frames):
        """So many frames of an RMS of 1; of rock see there."""
        if (name, frames) not in self.kept:
            if name == "rock":
                sound = self.rock(frames)
            else:
                sound = {"babble": self.babble, "pink": pink}[name](frames)
                sound = sound / level(sound)
            self.kept[name, frames] = sound
        return self.kept[name, frames]

    def rock(self, frames, seconds=120):
        """A band as it plays on: of two tunes, so many seconds each, the beginning; all of them have an RMS of 1.

        So the reference that the aims are from was mixed (PESQ untreated at 20, 10, 5 and 0 dB: 3.31, 2.11, 1.59, 1.27).
        The tunes begin softly: their first 27 s are some 12 dB below that, the rest is as loud.
        """
        tunes = [decode(self.root / GAME / "Music" / f"{name}.ogg") for name in ("Rock", "City")]
        played = numpy.concatenate([tune[: seconds * RATE] for tune in tunes])
        return played[:frames] / level(played)

    def babble(self, frames):
        """24 talkers of four languages in a hall, each with a pitch and a level of its own."""
        draw = numpy.random.default_rng(24)
        total = numpy.zeros(frames)
        for talker in TALKERS:
            prompts = self.prompts(talker, 24)
            for _ in range(6):
                chosen = [prompts[index] for index in draw.permutation(len(prompts))]
                line = numpy.concatenate([spoken(sound) for sound in chosen])
                line = line[draw.integers(len(line) // 2) :]
                pitch = draw.uniform(0.92, 1.08)
                line = resample(line[: int(frames * pitch) + RATE], int((int(frames * pitch) + RATE) / pitch))
                total += numpy.resize(line, frames) * 10 ** (draw.uniform(-4, 4) / 20)
        return room(total, 0.8, draw)

    def far(self, seconds, seed):
        """What members say, one after the other without end: prompts in three languages."""
        draw = numpy.random.default_rng(seed)
        sounds = []
        for talker in TALKERS[1:2] + TALKERS[3:] + TALKERS[:1]:
            sounds += [spoken(sound) for sound in self.prompts(talker, 12)]
        sounds = [trimmed(sounds[index]) for index in draw.permutation(len(sounds))]
        return numpy.resize(numpy.concatenate(sounds), seconds * RATE)


def trimmed(sound):
    """Without the silence before and after."""
    loud = numpy.flatnonzero(numpy.abs(sound) > 0.02)
    return sound[loud[0] : loud[-1]] if len(loud) else sound


def pink(frames, seed=7):
    draw = numpy.random.default_rng(seed)
    spectrum = numpy.fft.rfft(draw.standard_normal(frames))
    return numpy.fft.irfft(spectrum / numpy.sqrt(numpy.arange(len(spectrum)) + 1), frames)


def room(sound, seconds, draw):
    """The sound as a room of that reverberation time has it."""
    response = tail(seconds, draw)
    response[0] = 0
    response *= 0.7 / numpy.sqrt(numpy.sum(response**2))
    response[0] = 1
    return fftconvolve(sound, response)[: len(sound)]


def tail(seconds, draw):
    """Noise that falls by 60 dB in so long."""
    frames = int(seconds * RATE)
    return draw.standard_normal(frames) * 10 ** (-3 * numpy.arange(frames) / frames)


def echo_path(delay_seconds, tail_seconds, seed):
    """From a loudspeaker to the microphone: a delay, a room, and what a small loudspeaker leaves, 150 Hz to 12 kHz."""
    draw = numpy.random.default_rng(seed)
    response = numpy.concatenate([numpy.zeros(int(delay_seconds * RATE)), tail(tail_seconds, draw)])
    band = butter(2, [150, 12000], "bandpass", fs=RATE, output="sos")
    response = sosfilt(band, response)
    return response / numpy.sqrt(numpy.sum(response**2))


def through(sound, path):
    return fftconvolve(sound, path)[: len(sound)]


def overdriven(sound, drive=3.0):
    """What a loudspeaker that is too small makes of it."""
    peak = numpy.max(numpy.abs(sound))
    return numpy.tanh(drive * sound / peak) * peak / drive
