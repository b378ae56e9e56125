"""Speech and noise out of Debian packages, and mixtures of them in which it is known when somebody talks."""

import pathlib
import subprocess

import numpy
from scipy.signal import fftconvolve, lfilter

from features import HOP, RATE

SOUNDS = "usr/share/asterisk/sounds"
GAME = "usr/share/games/hedgewars/Data"
# Whom the detector is judged by is not in what it learns from: neither the English talker (who speaks the Spanish
# prompts too) nor the reader of LibriVox, and two tunes.
TAUGHT_TALKERS = [f"{SOUNDS}/{name}" for name in ("fr_CA_f_June", "it_IT_m_Carlo", "ru_RU_f_IvrvoiceRU")]
TAUGHT_VOICES = f"{GAME}/Sounds/voices"
JUDGED_TUNES = ["Rock", "City"]
SILENT = ("silence", "beep", "tone", "moh")


def decode(path):
    """A file's sound at 16 kHz."""
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"]
    if str(path).endswith(".raw"):
        command[3:3] = ["-f", "s16le", "-ar", "16000"]
    return numpy.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, numpy.float32).copy()


def files(root, folder, ending):
    found = sorted((pathlib.Path(root) / folder).rglob(f"*.{ending}"))
    return [path for path in found if not any(word in path.name or word in path.parent.name for word in SILENT)]


def kept(root, name, paths, cache):
    """Decoded sounds one after the other, remembered in a file."""
    store = pathlib.Path(cache) / f"{name}.npz"
    if not store.exists():
        sounds = [decode(path) for path in paths]
        sounds = [sound for sound in sounds if len(sound) > RATE // 4]
        numpy.savez(store, data=numpy.concatenate(sounds).astype(numpy.float16),
                    lengths=[len(sound) for sound in sounds])
    loaded = numpy.load(store)
    return numpy.split(loaded["data"].astype(numpy.float32), numpy.cumsum(loaded["lengths"])[:-1])


def talkers(root, cache):
    """The taught talkers, a list of utterances each."""
    result = [kept(root, pathlib.Path(folder).name, files(root, folder, "g722"), cache) for folder in TAUGHT_TALKERS]
    for folder in sorted((pathlib.Path(root) / TAUGHT_VOICES).iterdir()):
        if folder.name != "British" and folder.name != "Robot":
            paths = files(root, f"{TAUGHT_VOICES}/{folder.name}", "ogg")
            if len(paths) > 10:
                result.append(kept(root, f"game-{folder.name}", paths, cache))
    return result


def tunes(root, cache):
    """The taught music."""
    game = [path for path in files(root, f"{GAME}/Music", "ogg") if path.stem not in JUDGED_TUNES]
    held = sorted((pathlib.Path(root) / "usr/share/asterisk/moh").glob("*.g722"))
    return kept(root, "tunes", game + held, cache)


def level(sound):
    return numpy.sqrt(numpy.mean(sound.astype(numpy.float64) ** 2) + 1e-12)


def is_speech(clean):
    """For each hop whether somebody talks in it: no more than 26 dB below the loud parts, gaps of 60 ms filled."""
    hops = len(clean) // HOP
    energy = numpy.mean(clean[: hops * HOP].reshape(hops, HOP) ** 2, axis=1)
    energy = numpy.convolve(energy, numpy.ones(3) / 3, mode="same")
    marks = energy > numpy.percentile(energy, 95) * 10**-2.6
    gap = 0
    for hop in range(hops):
        if marks[hop]:
            if 0 < gap <= 6 and hop > gap:
                marks[hop - gap : hop] = True
            gap = 0
        else:
            gap += 1
    return marks


def active(sound):
    """The level of what is speech in it."""
    marks = numpy.repeat(is_speech(sound), HOP)
    return level(sound[: len(marks)][marks]) if marks.any() else level(sound)


def excerpt(draw, sounds, frames):
    """So many frames out of one of the sounds, over and over if it is short."""
    sound = sounds[draw.integers(len(sounds))]
    if len(sound) < frames:
        sound = numpy.tile(sound, frames // len(sound) + 1)
    start = draw.integers(len(sound) - frames + 1)
    return sound[start : start + frames]


def room(draw, sound, seconds):
    """The sound in a room of that reverberation time."""
    length = int(seconds * RATE)
    response = draw.standard_normal(length) * 10 ** (-3 * numpy.arange(length) / length)
    response[0] = 0
    response *= draw.uniform(0.3, 1.0) / numpy.sqrt(numpy.sum(response**2))
    response[0] = 1
    return fftconvolve(sound, response)[: len(sound)]


def coloured(draw, frames):
    """Noise between white and brown, some of it with a hum."""
    pole = 0 if draw.random() < 0.4 else draw.uniform(-0.5, 0.99)
    noise = lfilter([1], [1, -pole], draw.standard_normal(frames))
    noise /= level(noise)
    if draw.random() < 0.3:
        times = numpy.arange(frames) / RATE
        base = draw.choice([50.0, 60.0, 100.0, 120.0, draw.uniform(80, 400)])
        for harmonic in range(1, draw.integers(2, 9)):
            noise += draw.uniform(0, 1) * numpy.sin(2 * numpy.pi * base * harmonic * times + draw.uniform(0, 6))
    return noise


def tones(draw, frames):
    """Beeps, whistles and steady tones, one after the other or at once."""
    times = numpy.arange(frames) / RATE
    total = numpy.zeros(frames)
    for _ in range(draw.integers(1, 6)):
        pitch = numpy.exp(draw.uniform(numpy.log(50), numpy.log(5000)))
        glide = draw.uniform(-0.3, 0.3) * pitch * numpy.sin(2 * numpy.pi * draw.uniform(0.05, 1) * times)
        tone = numpy.sin(2 * numpy.pi * numpy.cumsum(pitch + glide * (draw.random() < 0.4)) / RATE)
        if draw.random() < 0.6:
            tone *= numpy.sin(2 * numpy.pi * draw.uniform(0.2, 4) * times + draw.uniform(0, 6)) > draw.uniform(-0.5, 0.9)
        total += draw.uniform(0.1, 1) * tone
    return total + 1e-3 * draw.standard_normal(frames)


def clicks(draw, frames):
    """Clicks, knocks and bangs."""
    total = numpy.zeros(frames)
    for start in draw.integers(0, frames, draw.integers(4, 60)):
        length = int(numpy.exp(draw.uniform(0, numpy.log(2000))))
        burst = draw.standard_normal(length) * numpy.exp(-5 * numpy.arange(length) / length)
        burst = lfilter([1], [1, -draw.uniform(0, 0.98)], burst)[: frames - start]
        total[start : start + len(burst)] += draw.uniform(0.1, 1) * burst / max(numpy.abs(burst).max(), 1e-6)
    return room(draw, total, draw.uniform(0.05, 0.5)) + 1e-3 * draw.standard_normal(frames)


def crowd(draw, everybody, frames, count):
    """So many talkers at once in a room."""
    total = numpy.zeros(frames)
    for _ in range(count):
        voice = line(draw, everybody[draw.integers(len(everybody))], frames, pause=0.3)[0]
        total += voice / max(level(voice), 1e-6) * 10 ** (draw.uniform(-4, 4) / 20)
    return room(draw, total, draw.uniform(0.4, 1.0))


def line(draw, utterances, frames, pause):
    """What one talker says in so many frames, and when."""
    sound, marks = numpy.zeros(frames), numpy.zeros(frames // HOP, bool)
    place = int(draw.uniform(0, pause) * RATE) // HOP * HOP
    while place < frames:
        utterance = utterances[draw.integers(len(utterances))]
        utterance = utterance / max(active(utterance), 1e-5)
        count = min(len(utterance), frames - place)
        sound[place : place + count] = utterance[:count]
        said = is_speech(utterance)[: count // HOP]
        marks[place // HOP : place // HOP + len(said)] = said
        place += (count + int(draw.uniform(0.1, 2 * pause) * RATE)) // HOP * HOP
        if count < HOP:
            break
    return sound, marks


def band(draw, music, frames):
    """Music as a band plays on: sped up or down, coloured, and now and then it goes on much louder or softer."""
    speed = draw.uniform(0.85, 1.18)
    place, sound = 0, numpy.zeros(frames)
    while place < frames:
        part = frames - place if draw.random() < 0.5 else int(draw.uniform(1, 8) * RATE)
        part = min(part, frames - place)
        piece = excerpt(draw, music, int(part * speed) + 2)
        piece = numpy.interp(numpy.arange(part) * speed, numpy.arange(len(piece)), piece)
        if draw.random() < 0.3:
            other = excerpt(draw, music, part)
            piece = piece / max(level(piece), 1e-4) + other / max(level(other), 1e-4) * draw.uniform(0.2, 1)
        sound[place : place + part] = piece / max(level(piece), 1e-4) * 10 ** (draw.uniform(-20, 0) / 20)
        place += part
    tilt = draw.uniform(-0.8, 0.8)
    return lfilter([1, -tilt], [1], sound)


def mixture(draw, everybody, music, seconds):
    """Somebody who talks now and then amid noise, and when."""
    frames = seconds * RATE
    sound, marks = numpy.zeros(frames), numpy.zeros(frames // HOP, bool)
    if draw.random() > 0.22:
        sound, marks = line(draw, everybody[draw.integers(len(everybody))], frames, pause=draw.uniform(0.3, 3))
        if draw.random() < 0.25:
            # Nobody talks any more: what is left is noise, much lower.
            end = int(draw.uniform(2, 8) * RATE) // HOP * HOP
            sound[end:], marks[end // HOP :] = 0, False
        if draw.random() < 0.4:
            sound = room(draw, sound, draw.uniform(0.05, 0.35))
    tilt = draw.uniform(-0.6, 0.6)
    sound = lfilter([1, -tilt], [1], sound) / (1 + abs(tilt) / 2)
    kind = draw.random()
    quiet = draw.uniform(-2, 32)
    if kind < 0.12:
        noise = excerpt(draw, music, frames)
    elif kind < 0.38:
        noise = band(draw, music, frames)
    elif kind < 0.56:
        noise = crowd(draw, everybody, frames, draw.integers(6, 25))
        quiet = draw.uniform(4, 25)
    elif kind < 0.76:
        noise = coloured(draw, frames)
    elif kind < 0.84:
        noise = tones(draw, frames)
    elif kind < 0.92:
        noise, quiet = clicks(draw, frames), draw.uniform(-5, 25)
    else:
        noise = excerpt(draw, music, frames) / max(level(excerpt(draw, music, frames)), 1e-4)
        noise = noise + crowd(draw, everybody, frames, 12) * 0.2
        quiet = draw.uniform(4, 25)
    noise = noise / max(level(noise), 1e-5)
    if draw.random() < 0.3:
        noise = noise * numpy.interp(numpy.arange(frames), numpy.sort(draw.integers(0, frames, 4)),
                                     10 ** (draw.uniform(-15, 0, 4) / 20))
    mixed = sound + noise * 10 ** (-quiet / 20) + 1e-4 * draw.standard_normal(frames)
    if not marks.any():
        # Noise alone is as loud as speech can be.
        return mixed / level(mixed) * 10 ** (draw.uniform(-70, -8) / 20), marks
    return mixed * 10 ** (draw.uniform(-48, -14) / 20), marks
