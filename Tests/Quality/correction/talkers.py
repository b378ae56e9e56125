"""More talkers to learn from: talkers.py SOUNDS LIBDEEPFILTER MODEL OUT writes what each says, one file a talker.

SOUNDS is where the packages of packages.txt were unpacked (dpkg-deb -x); those with a star there are installed, as they
speak: ten voices of pieces of recordings, two of a vocoder (flite's). Recordings of homes are cleaned by DeepFilterNet,
or their hiss would be learned as voice; its library and model are what `./dev bench voice` leaves in
.build/deepfilter/engine. What is there already stays.
"""

import ctypes
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zipfile

import numpy
from scipy.io import wavfile

sys.path.append(str(pathlib.Path(__file__).parent.parent / "voice"))
from sounds import RATE, decode, spoken, trimmed

SECONDS = 330
FORTUNES = pathlib.Path("/usr/share/games/fortunes")
STAMPS = "usr/share/tuxpaint/stamps"
WARZONE = "usr/share/games/warzone2100/base.wz"
CODEC2 = "usr/share/codec2/wav"
# Languages of children's stamps, a talker each.
STAMP_LANGUAGES = ("fr", "ru", "ro", "ca", "bg", "es", "be", "el", "da")
WARZONE_FOLDERS = ("tutorial", "memressp", "nexus", "extra")
# Held back: radio amateurs and others.
CODEC2_FILES = ("ve9qrp", "vk5qi", "hts1a", "hts2a", "mmt1", "morig", "forig")
FINNISH = ("k t p s n l m r h j v kk tt st".split(), "a e i o u y aa ie uo ai ei".split())
# Festival's voice, whose texts, and how it wants them written; and flite's.
FESTIVAL = {
    "kal": ("kal_diphone", "", "utf-8"), "ked": ("ked_diphone", "", "utf-8"),
    "pc": ("pc_diphone", "it", "iso-8859-1"), "lp": ("lp_diphone", "it", "iso-8859-1"),
    "dita": ("czech_dita", "cs", "iso-8859-2"), "machac": ("czech_machac", "cs", "iso-8859-2"),
    "ph": ("czech_ph", "cs", "iso-8859-2"), "mv": ("hy_fi_mv_diphone", None, "iso-8859-1"),
    "lj": ("suo_fi_lj_diphone", None, "iso-8859-1"), "nsh": ("msu_ru_nsh_clunits", "ru", "utf-8"),
}
FLITE = ("rms", "awb")


class Cleaner:
    """DeepFilterNet, 10 ms at a time."""

    def __init__(self, path, model):
        self.library = ctypes.CDLL(path)
        self.library.df_create.restype = ctypes.c_void_p
        self.library.df_create.argtypes = [ctypes.c_char_p, ctypes.c_float, ctypes.c_char_p]
        self.library.df_process_frame.restype = ctypes.c_float
        self.library.df_process_frame.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.state = self.library.df_create(model.encode(), 100.0, None)
        if not self.state:
            sys.exit(f"{model}: no model of DeepFilterNet's")

    def cleaned(self, sound):
        padded = numpy.concatenate([sound, numpy.zeros(-len(sound) % 480 + 1920)])
        frames = numpy.ascontiguousarray(padded, numpy.float32)
        out = numpy.zeros_like(frames)
        for start in range(0, len(frames), 480):
            self.library.df_process_frame(self.state, frames[start:].ctypes.data, out[start:].ctypes.data)
        return out.astype(float)


def texts(folder, draw):
    """Sentences of a language; where there are none, syllables, as one hears only sounds."""
    if folder is None:
        parts = [" ".join("".join(draw.choice(kind) for _ in range(draw.randint(1, 4)) for kind in FINNISH)
                          for _ in range(16)) for _ in range(100)]
    else:
        paths = [path for path in sorted((FORTUNES / folder).iterdir()) if path.is_file() and not path.suffix]
        parts = [part for path in paths for part in path.read_bytes().decode("utf-8", "ignore").split("\n%\n")]
        parts = [re.sub(r"[^\w ,.?!'-]|_", " ", re.sub(r"\s+", " ", part)).strip() for part in parts]
        parts = [part for part in parts if 60 < len(part) < 220]
    draw.shuffle(parts)
    return parts


def synthesised(name, path):
    """Sounds of a synthesiser's voice, one a text."""
    voice, folder, coding = FESTIVAL.get(name, (None, "", "utf-8"))
    for text in texts(folder, random.Random(name)):
        if voice:
            command = ["text2wave", "-eval", f"(voice_{voice})", "-o", str(path)]
        else:
            command = ["flite", "-voice", name, "-t", text, str(path)]
        path.unlink(missing_ok=True)
        try:
            subprocess.run(command, input=text.encode(coding, "ignore"), capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            continue
        if path.exists() and path.stat().st_size > 40000:
            yield decode(path)


def decoded(paths, cleaner=None):
    for path in paths:
        try:
            sound = decode(path)
        except subprocess.CalledProcessError:
            continue
        yield cleaner.cleaned(sound) if cleaner else sound


def kept(said, draw):
    """What is said, one after the other, with pauses."""
    parts, frames = [], 0
    for sound in said:
        sound = trimmed(sound * 0.5 / max(numpy.max(numpy.abs(sound), initial=0), 1e-3))
        if len(sound) < RATE // 4:
            continue
        parts += [numpy.nan_to_num(spoken(sound)), numpy.zeros(int(draw.uniform(0.02, 0.5) * RATE))]
        frames += len(parts[-1]) + len(parts[-2])
        if frames > SECONDS * RATE:
            break
    return numpy.clip(numpy.concatenate(parts), -1, 1) if parts else None


def talkers(root, scratch, cleaner):
    """What each says, by name."""
    for name in CODEC2_FILES:
        yield f"codec2-{name}", decoded([root / CODEC2 / f"{name}.wav"])
    with zipfile.ZipFile(root / WARZONE) as game:
        game.extractall(scratch, [name for name in game.namelist() if name.startswith("audio/")])
    for name in WARZONE_FOLDERS:
        yield f"warzone-{name}", decoded(sorted((scratch / "audio" / name).rglob("*.ogg")))
    for language in STAMP_LANGUAGES:
        paths = sorted((root / STAMPS).rglob(f"*_desc_{language}.ogg"))
        random.Random(language).shuffle(paths)
        yield f"stamps-{language}", decoded(paths, cleaner)
    for name in (*FESTIVAL, *FLITE):
        yield f"spoken-{name}", synthesised(name, scratch / "said.wav")


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[4])
    cleaner = Cleaner(sys.argv[2], sys.argv[3])
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, said in talkers(root, pathlib.Path(scratch), cleaner):
            path, part = out / f"{name}.wav", out / f"{name}.part"
            if path.exists():
                continue
            sound = kept(said, numpy.random.default_rng(len(name)))
            if sound is None:
                sys.exit(f"{name} says nothing: is its package of packages.txt there?")
            wavfile.write(part, RATE, (sound * 32767).astype(numpy.int16))
            part.rename(path)
            print(name, len(sound) // RATE, "s", flush=True)


if __name__ == "__main__":
    main()
