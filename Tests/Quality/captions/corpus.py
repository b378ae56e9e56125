"""Read speech with its words and when each of them ends, for `./dev bench captions`.

Usage: corpus.py MODEL FOLDER READING ROCK: five sentences of Sense and Sensibility (Debian's pocketsphinx-testdata, with
their text) and 44 s of A Tale of Two Cities (READING, text of the public domain). When a word ends is what the model in
MODEL says of the clean file, by its attention (Whisper's alignment), for words that it understood; the others have no
time, and count for what is understood alone. Writes NAME.wav and NAME.words: a line for each word, when it ends in
seconds or -, and the word; and rock.wav, the noise at 48 kHz.
"""

import difflib
import pathlib
import subprocess
import sys
import wave

import ctranslate2
import numpy as np

from comlink_speech.mel import Mel
from comlink_speech.whisper import Whisper

AUSTEN = pathlib.Path("/usr/share/pocketsphinx/test/data/librivox")
DICKENS = """it was the best of times it was the worst of times it was the age of wisdom it was the age of foolishness it
was the epoch of belief it was the epoch of incredulity it was the season of light it was the season of darkness it was
the spring of hope it was the winter of despair we had everything before us we had nothing before us we were all going
direct to heaven we were all going direct the other way in short the period was so far like the present period that some
of its noisiest authorities insisted on its being received for good or for evil in the superlative degree of comparison
only"""
RATE = 16_000
GAP = int(0.4 * RATE)


def plain(word):
    word = "".join(c for c in word.casefold() if c.isalnum())
    return "mister" if word == "mr" else word


def samples(path):
    pcm = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", str(path), "-ar", str(RATE), "-ac", "1", "-f", "s16le", "-"],
        check=True, capture_output=True).stdout
    return np.frombuffer(pcm, "<i2").astype(np.float32) / 32768


def level(sound):
    """At -23 dBFS, as talkers of the benches are."""
    return np.clip(sound * 0.07 / np.sqrt((sound**2).mean()), -0.9, 0.9)


def pieces(sound, most=14 * RATE):
    """Cut in the quietest places, each as long as a reading may be."""
    start = 0
    while len(sound) - start > most:
        tail = sound[start + most // 2 : start + most]
        blocks = tail[: len(tail) // 1600 * 1600].reshape(-1, 1600)
        end = start + most // 2 + int(np.argmin((blocks**2).mean(axis=1))) * 1600 + 800
        yield start, sound[start:end]
        start = end
    yield start, sound[start:]


def heard(whisper, sound):
    """What the model understands, and when each word ends."""
    words = []
    for start, piece in pieces(sound):
        text, _, _ = whisper.recognise(piece, "en")
        tokens = whisper._tokenizer.encode(" " + text, add_special_tokens=False).ids
        mel = whisper._mel.spectrum(piece)
        features = ctranslate2.StorageView.from_array(np.ascontiguousarray(mel[None]))
        prompt = [whisper._id("<|startoftranscript|>")]
        if whisper.is_multilingual:
            prompt += [whisper._id("<|en|>"), whisper._id("<|transcribe|>")]
        prompt.append(whisper._id("<|notimestamps|>"))
        found = whisper._model.align(features, prompt, [tokens], [len(piece) // 160], median_filter_width=7)[0]
        ends = {}
        for token, time in found.alignments:
            ends[token] = max(ends.get(token, 0), time * 0.02)
        for index, token in enumerate(tokens):
            part = whisper._tokenizer.decode([token])
            if part.startswith((" ", "-")) or not words:
                words.append([part.strip(), 0])
            else:
                words[-1][0] += part
            words[-1][1] = start / RATE + ends.get(index, words[-1][1])
    return [(plain(word), end) for word, end in words if plain(word)]


def write(folder, name, sound, words, found):
    known = difflib.SequenceMatcher(a=words, b=[word for word, _ in found], autojunk=False)
    ends = {}
    for block in known.get_matching_blocks():
        for offset in range(block.size):
            ends[block.a + offset] = found[block.b + offset][1]
    with wave.open(str(folder / f"{name}.wav"), "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(RATE)
        file.writeframes((sound * 32767).astype("<i2").tobytes())
    lines = (f"{ends[i]:.2f} {word}" if i in ends else f"- {word}" for i, word in enumerate(words))
    (folder / f"{name}.words").write_text("\n".join(lines) + "\n")
    print(f"{name}: {len(sound) / RATE:.1f} s, {len(words)} words, {len(ends)} of them with a time")


def main():
    model, folder, reading, rock = sys.argv[1:]
    whisper, folder = Whisper(model), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    sounds, words = [np.zeros(GAP, np.float32)], []
    for line in (AUSTEN / "transcription").read_text().splitlines():
        text, _, name = line.rpartition("(")
        words += [plain(w) for w in text.replace("<s>", "").replace("</s>", "").split() if plain(w)]
        sounds += [level(samples(AUSTEN / f"{name.strip(') ')}.wav")), np.zeros(GAP * 2, np.float32)]
    austen = np.concatenate(sounds)
    write(folder, "austen", austen, words, heard(whisper, austen))
    dickens = np.concatenate([np.zeros(GAP, np.float32), level(samples(reading)), np.zeros(GAP, np.float32)])
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-i", rock, "-t", "60", "-ar", "48000", "-ac", "1", "-c:a", "pcm_s16le",
         str(folder / "rock.wav")], check=True)
    write(folder, "dickens", dickens, DICKENS.split(), heard(whisper, dickens))


if __name__ == "__main__":
    main()
