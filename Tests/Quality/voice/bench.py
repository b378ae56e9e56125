"""`./dev bench voice`: what the voice chain makes of speech in noise, of echo and of quiet talkers; as a table.

bench.py COMLINK CORPUS WORK [--json FILE] [--only WORD]: COMLINK is the program, whose `voice process` treats the files;
CORPUS is where Debian packages were unpacked. Each case is the same in each run, but for --only nodes, which lets real
nodes talk by --nodes COMLINK-BENCH. Exits with 1 where a figure misses its limit.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import resource
import subprocess
import sys
import wave

import numpy
import onnxruntime
from pesq import PesqError, pesq
from pystoi import stoi
from scipy.signal import resample_poly

sys.path.append(str(pathlib.Path(__file__).parent.parent))
import score
import sounds
from sounds import LEAD, RATE, SEGMENT, SPEECH_DBFS, decibels, level

# Names a folder with comlink-aec3.so, where it is to be had.
AEC3 = "COMLINK_AEC3"
SCORE_RATE = 16000
QUIET_DBFS = -60
BLOCK = RATE // 100


def write(path, channels):
    """A WAV file of 16 bits, of one or more channels."""
    frames = numpy.clip(numpy.round(numpy.stack(channels, axis=-1) * 32768), -32768, 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(len(channels))
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(frames.tobytes())


def read(path):
    with wave.open(str(path), "rb") as file:
        return numpy.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768


class Chain:
    """The program, and what it took of the processor."""

    def __init__(self, program, work):
        self.program, self.work = program, pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)

    def run(self, microphone, reference=None, **settings):
        """What comes out, and its cost in per cent of a core, reading and writing the files not counted."""
        write(self.work / "in.wav", [microphone])
        arguments = []
        if reference is not None:
            write(self.work / "reference.wav", reference if isinstance(reference, tuple) else [reference])
            arguments = ["--reference", str(self.work / "reference.wav")]
        plain = self.seconds(arguments)
        for name, value in settings.items():
            arguments += [f"--{name.replace('_', '-')}", str(value)]
        cost = (self.seconds(arguments) - plain) / (len(microphone) / RATE)
        return read(self.work / "out.wav"), 100 * cost

    def heard(self, bench, microphone, period=256, ptime=10, **settings):
        """What a listener hears, over two nodes on real JACK servers; it fails where a period is late by their own work."""
        write(self.work / "in.wav", [microphone])
        voice = ",".join(f"{name.replace('_', '-')}={value}" for name, value in settings.items())
        command = [bench, "heard", "--period", period, "--ptime", ptime, "--voice", voice]
        command += [self.work / "in.wav", self.work / "out.wav"]
        subprocess.run([str(word) for word in command], check=True)
        return read(self.work / "out.wav")

    def seconds(self, arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [self.program, "voice", "process", self.work / "in.wav", self.work / "out.wav", *arguments]
        subprocess.run([str(word) for word in command], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Judge:
    """DNSMOS P.835, overall: the model in PyPI's speechmos, without the rest of that, which wants librosa."""

    SECONDS = 9.01
    POLYNOMIAL = (-0.06766283, 1.11546468, 0.04602535)

    def __init__(self):
        package = pathlib.Path(importlib.util.find_spec("speechmos").origin).parent
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.model = onnxruntime.InferenceSession(package / "dnsmos_models" / "sig_bak_ovr.onnx", options)

    def score(self, sound):
        heard = numpy.resize(sound, int(self.SECONDS * SCORE_RATE)).astype(numpy.float32)
        raw = self.model.run(None, {"input_1": heard[None]})[0][0]
        return numpy.polyval(self.POLYNOMIAL, raw[2])


JUDGE = Judge()


def quality(clean, heard):
    """DNSMOS, PESQ and STOI, means over the two talkers."""
    rows = []
    for start in range(0, len(clean), SEGMENT):
        wanted = resample_poly(clean[start : start + SEGMENT], 1, RATE // SCORE_RATE)
        got = resample_poly(heard[start : start + SEGMENT], 1, RATE // SCORE_RATE)
        got = numpy.clip(got, -1, 1)
        try:
            likeness = pesq(SCORE_RATE, wanted, got, "wb")
        except PesqError:
            likeness = 1.0
        rows.append((JUDGE.score(got), likeness, stoi(wanted, got, SCORE_RATE)))
    return numpy.mean(rows, axis=0)


def noisy(material, name, ratio):
    """Speech after 4 s of noise alone, and the speech itself."""
    clean = material.speech()
    frames = LEAD + len(clean)
    mixed = numpy.concatenate([numpy.zeros(LEAD), clean])
    if name != "clean":
        mixed = mixed + material.noise(name, frames) * 10 ** ((SPEECH_DBFS - ratio) / 20)
    return mixed, clean


class Report:
    def __init__(self):
        self.rows, self.missed = [], []

    def add(self, case, what, value, unit="", least=None, most=None):
        """A figure, with the limit that it must keep."""
        value = float(value)
        bad = least is not None and value < least or most is not None and value > most
        aim = f">= {least:.4g}" if least is not None else f"<= {most:g}" if most is not None else ""
        self.rows.append({"case": case, "what": what, "value": round(value, 3), "unit": unit, "aim": aim})
        digits = 3 if what.endswith("STOI") else 2
        print(f"{case:34} {what:32} {value:8.{digits}f} {unit:6} {aim:10} {'MISSED' if bad else ''}", flush=True)
        if bad:
            self.missed.append(f"{case}: {what}")


def suppression(chain, material, report):
    """In detail, for 16 s; what `strong` should reach is judged by ``reference`` and ``excerpts``."""
    cases = [("clean", 0)] + [("rock", ratio) for ratio in (20, 10, 5, 0)]
    cases += [("babble", 10), ("babble", 5), ("pink", 5)]
    for name, ratio in cases:
        mixed, clean = noisy(material, name, ratio)
        case = name if name == "clean" else f"{name} {ratio} dB"
        for kind in ("off", "light", "strong", "strongest"):
            heard, cost = (mixed, 0) if kind == "off" else chain.run(mixed, suppress=kind)
            scores = quality(clean, heard[LEAD:])
            for what, score in zip(("DNSMOS", "PESQ", "STOI"), scores):
                is_aim = (kind, name, ratio, what) == ("strongest", "babble", 5, "STOI")
                report.add(case, f"{kind}: {what}", score, least=0.86 if is_aim else None)
            if name != "clean" and kind != "off":
                # The 10 ms before the voice are in a window with it.
                lower = decibels(level(mixed[RATE : LEAD - BLOCK]) / level(heard[RATE : LEAD - BLOCK]))
                report.add(case, f"{kind}: noise alone lower", lower, "dB")
            if kind != "off":
                report.add(case, f"{kind}: CPU", cost, "%", most=2 if kind != "strongest" else None)


# What the table that the aims are from has (DNSMOS, PESQ, STOI): untreated, and by RNNoise 0.1.
LIBRARIES = {
    ("clean", 0): ((3.28, 4.64, 1.00), (3.36, 4.07, 0.99)),
    ("rock", 20): ((3.15, 3.31, 0.99), (3.41, 3.79, 0.99)),
    ("rock", 10): ((2.84, 2.11, 0.98), (3.39, 3.10, 0.98)),
    ("rock", 5): ((2.64, 1.59, 0.96), (3.36, 2.55, 0.97)),
    ("rock", 0): ((2.39, 1.27, 0.92), (3.33, 2.10, 0.94)),
    ("babble", 10): ((2.19, 1.19, 0.89), (2.89, 1.50, 0.92)),
    ("babble", 5): ((1.62, 1.08, 0.80), (2.33, 1.23, 0.83)),
}


def reference(chain, material, report):
    """What the aims' own table was of, as far as it can be found (docs/figures.md): the aims in rock and without noise."""
    aims = {("clean", 0): (None, 4.2, None), ("rock", 5): (3.35, 2.6, 0.97)}
    for (name, ratio), libraries in LIBRARIES.items():
        rows = []
        for clean in material.reference():
            mixed = numpy.concatenate([numpy.zeros(LEAD), clean])
            if name != "clean":
                noise = material.rock(len(mixed), 76) if name == "rock" else material.noise(name, len(mixed))
                mixed = mixed + noise * 10 ** ((SPEECH_DBFS - ratio) / 20)
            heard, _ = chain.run(mixed, suppress="strong")
            rows.append([quality(clean, sound[LEAD:]) for sound in (mixed, heard)])
        case = "reference, " + (name if name == "clean" else f"{name} {ratio} dB")
        for kind, scores, theirs in zip(("off", "strong"), numpy.mean(rows, axis=0), libraries):
            limits = aims.get((name, ratio)) if kind == "strong" else None
            for what, score, limit, other in zip(("DNSMOS", "PESQ", "STOI"), scores, limits or 3 * (None,), theirs):
                report.add(case, f"{kind} ({other:.2f}): {what}", score, least=limit)


def excerpts(chain, material, report):
    """`strong` for all that both talkers say, each segment mixed by itself: how much hangs on which it is."""
    for noise, aims in (("rock", (None, None, None)), ("babble", (None, None, 0.84))):
        rows = []
        for name, clean in material.excerpts():
            mixed = numpy.concatenate([numpy.zeros(LEAD), clean])
            mixed = mixed + material.noise(noise, len(mixed)) * 10 ** ((SPEECH_DBFS - 5) / 20)
            heard, _ = chain.run(mixed, suppress="strong")
            rows.append((name, *(quality(clean, sound[LEAD:]) for sound in (mixed, heard))))
        for name in ("woman", "man", "both"):
            judged = [row[1:] for row in rows if name in (row[0], "both")]
            untreated, treated = numpy.mean(judged, axis=0)
            case = f"{noise} 5 dB, {name}, {len(judged)} excerpts"
            for what, before, after, aim in zip(("DNSMOS", "PESQ", "STOI"), untreated, treated, aims):
                report.add(case, f"off: {what}", before)
                report.add(case, f"strong: {what}", after, least=aim if name == "both" else None)


def erle(microphone, heard, start, seconds):
    part = slice(int(start * RATE), int((start + seconds) * RATE))
    return decibels(level(microphone[part]) / level(heard[part]))


class Scene:
    """A far end that talks all the time, 44 s; from 20 to 36 s somebody talks near the microphone."""

    def __init__(self, material, delay=0.02, tail=0.15, ratio=0, drive=None, changes=False, stereo=False):
        far = material.far(44, seed=5)
        played = sounds.overdriven(far, drive) if drive else far
        if stereo:
            # Who talks sits left or right, by turns of 4 s.
            side = (numpy.arange(len(far)) // (4 * RATE)) % 2
            self.reference = (far * numpy.where(side, 0.9, 0.3), far * numpy.where(side, 0.3, 0.9))
            echo = sum(sounds.through(channel, sounds.echo_path(delay, tail, seed))
                       for channel, seed in zip(self.reference, (5, 9)))
        else:
            self.reference = far
            echo = sounds.through(played, sounds.echo_path(delay, tail, 5))
        if changes:
            echo[20 * RATE :] = sounds.through(played, sounds.echo_path(delay, tail, 6))[20 * RATE :]
        echo *= 10 ** ((SPEECH_DBFS - ratio) / 20) / level(echo[: 20 * RATE])
        self.clean = material.speech()
        near = numpy.zeros(len(far))
        if not changes:
            near[20 * RATE : 36 * RATE] = self.clean
        hiss = sounds.pink(len(far))
        self.microphone = echo + near + hiss / level(hiss) * 10 ** (QUIET_DBFS / 20)


def echo(chain, material, report):
    """By Comlink's own canceller, and by AEC3 where that is there."""
    cancel(chain, material, report, "on")
    if AEC3 in os.environ:
        cancel(chain, material, report, "aec3")


def cancel(chain, material, report, mode):
    cases = {
        "20 ms, 150 ms, 0 dB": ({}, 46, 15, 2.8, 0.96),
        "60 ms, 250 ms, 0 dB": ({"delay": 0.06, "tail": 0.25}, None, None, None, None),
        "20 ms, 150 ms, stereo": ({"stereo": True}, None, None, None, None),
        "20 ms, 150 ms, echo 10 dB louder": ({"ratio": -10}, None, None, None, None),
        "300 ms, 150 ms, 0 dB": ({"delay": 0.3}, None, None, None, None),
        "overdriven loudspeaker": ({"drive": 4, "tail": 0.25}, 25, None, None, None),
    }
    for name, (scene, final, first, likeness, clarity) in cases.items():
        scene = Scene(material, **scene)
        heard, cost = chain.run(scene.microphone, scene.reference, echo=mode)
        case = f"echo {mode}, {name}"
        if mode != "on":
            final = first = likeness = clarity = None
        report.add(case, "lower after 1 s", erle(scene.microphone, heard, 0.75, 0.5), "dB", least=first)
        report.add(case, "lower after 12 s", erle(scene.microphone, heard, 12, 8), "dB", least=final)
        scores = quality(scene.clean, heard[20 * RATE : 36 * RATE])
        report.add(case, "both talk: PESQ", scores[1], least=likeness)
        report.add(case, "both talk: STOI", scores[2], least=clarity)
        report.add(case, "CPU", cost, "%")
    change(chain, material, report, mode)
    headset(chain, material, report, mode)


def change(chain, material, report, mode):
    scene = Scene(material, changes=True)
    heard, _ = chain.run(scene.microphone, scene.reference, echo=mode)
    before = erle(scene.microphone, heard, 12, 8)
    back = next((step / 4 for step in range(0, 60)
                 if erle(scene.microphone, heard, 20 + step / 4, 1) > before - 5), 99)
    report.add(f"echo {mode}, path changes", "back within 5 dB after", back, "s", most=3 if mode == "on" else None)


def headset(chain, material, report, mode):
    """Nothing of what is played is in the microphone: nothing must happen to the voice."""
    clean = numpy.concatenate([numpy.zeros(LEAD), material.speech()])
    far = material.far(len(clean) // RATE, seed=8)
    for mode in (mode, "auto") if mode == "on" else (mode,):
        heard, _ = chain.run(clean, far, echo=mode)
        scores = quality(clean[LEAD:], heard[LEAD:])
        report.add(f"echo {mode}, without echo", "PESQ", scores[1])
        report.add(f"echo {mode}, without echo", "level of the voice", decibels(level(heard[LEAD:]) / level(clean[LEAD:])),
                   "dB", least=-0.5)


def gain(chain, material, report):
    clean = numpy.concatenate([material.speech(), material.speech()])
    for wanted in (-46, -36, -26, -16):
        heard, cost = chain.run(clean * 10 ** ((wanted - SPEECH_DBFS) / 20), gain="auto")
        marks = numpy.repeat(sounds.is_active(clean), BLOCK)
        late = numpy.arange(len(marks)) > 6 * RATE
        got = decibels(level(heard[: len(marks)][marks & late]))
        report.add(f"gain, speech at {wanted} dBFS", "off -20 dBFS after 4 s of speech", abs(got + 20), "dB", most=2)
        report.add(f"gain, speech at {wanted} dBFS", "CPU", cost, "%")
    for name in ("babble", "rock", "pink"):
        # The rock begins softly, and is at full level by the end of a minute.
        noise = material.noise(name, (60 if name == "rock" else 20) * RATE) * 10 ** (-50 / 20)
        heard, _ = chain.run(noise, gain="auto")
        report.add(f"gain, {name} alone at -50 dBFS", "raised by", decibels(level(heard[-5 * RATE :]) / level(noise[-5 * RATE :])),
                   "dB", most=0.5)


def vox(chain, material, report):
    """Speech that comes and goes: what of it is sent, and how much of 8 s of noise before and after it."""
    for name, ratio, kept, passed in (("clean", 0, 96, 1), ("rock", 20, None, None), ("rock", 10, 96, 1),
                                      ("babble", 10, None, None)):
        speech = material.speech()
        pause = numpy.zeros(8 * RATE)
        clean = numpy.concatenate([pause, speech[:SEGMENT], pause, speech[SEGMENT:], pause])
        mixed = clean
        if name != "clean":
            mixed = clean + material.noise(name, len(clean)) * 10 ** ((SPEECH_DBFS - ratio) / 20)
        heard, cost = chain.run(mixed, vox="voice")
        sent = numpy.max(numpy.abs(heard.reshape(-1, BLOCK)), axis=1) > 0
        talks = sounds.is_active(clean, hangover=0.02)
        # For 0.7 s after a word it stays open, as it should.
        near = numpy.convolve(talks, numpy.ones(2 * 80 + 1), mode="same") > 0
        case = f"vox, {name}" + (f" {ratio} dB" if name != "clean" else "")
        report.add(case, "speech kept", 100 * sent[talks].mean(), "%", least=kept)
        report.add(case, "noise passed", 100 * sent[~near].mean(), "%", most=passed)
        report.add(case, "CPU", cost, "%", most=1)


def everything(chain, material, report):
    scene = Scene(material)
    _, cost = chain.run(scene.microphone, scene.reference, high_pass=80, echo="on", suppress="strong", gain="auto",
                        gate="voice", vox="voice")
    report.add("all of it on", "CPU", cost, "%", most=5)


def intelligibility(clean, heard):
    """STOI, the mean over the two talkers, wherever in the sound they are: a way over nodes may be late, and change."""
    rows = []
    for start in range(0, len(clean), SEGMENT):
        said = clean[start : start + SEGMENT]
        found, _ = score.place(said, heard, LEAD + start, LEAD + start + RATE // 2)
        straight = score.straightened(said, heard, found, RATE)
        rows.append(stoi(resample_poly(said, 1, 3), resample_poly(straight, 1, 3), SCORE_RATE))
    return numpy.mean(rows)


def nodes(chain, bench, material, report):
    """From a microphone in loud music to another station's ear: no worse than the chain alone makes it."""
    for name, ratio in (("rock", 0), ("rock", 10)):
        mixed, clean = noisy(material, name, ratio)
        settings = {"suppress": "strong", "gain": "auto"}
        alone = intelligibility(clean, chain.run(mixed, **settings)[0])
        there = intelligibility(clean, chain.heard(bench, mixed, **settings))
        report.add(f"nodes, {name} {ratio} dB", "untreated: STOI", intelligibility(clean, mixed))
        report.add(f"nodes, {name} {ratio} dB", "the chain alone: STOI", alone)
        report.add(f"nodes, {name} {ratio} dB", "at the listener: STOI", there, least=alone - 0.01)
    # Packets of 2.5 ms, and all of it at both ends.
    settings = {"high_pass": 80, "echo": "on", "suppress": "strong", "gain": "auto", "gate": "voice", "vox": "voice"}
    mixed, clean = noisy(material, "rock", 10)
    there = intelligibility(clean, chain.heard(bench, mixed, period=64, ptime=2.5, **settings))
    report.add("nodes, all of it on, rock 10 dB", "at the listener: STOI", there)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("comlink")
    parser.add_argument("corpus")
    parser.add_argument("work")
    parser.add_argument("--json")
    parser.add_argument("--nodes", help="the program comlink-bench")
    parser.add_argument("--only", choices=[part.__name__ for part in (*PARTS, nodes)])
    options = parser.parse_args()
    chain = Chain(options.comlink, options.work)
    material, report = sounds.Material(options.corpus), Report()
    for part in PARTS:
        if options.only in (None, part.__name__):
            part(chain, material, report)
    if options.only == nodes.__name__:
        nodes(chain, options.nodes, material, report)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report.rows, indent=1) + "\n")
    if report.missed:
        print(f"\n{len(report.missed)} figures miss their limits:")
        print("\n".join(f"  {line}" for line in report.missed))
    return 1 if report.missed else 0


PARTS = (suppression, reference, excerpts, echo, gain, vox, everything)

if __name__ == "__main__":
    sys.exit(main())
