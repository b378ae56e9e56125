"""Text to speech by hibari; its one packaged voice at several pitches, so that people can be told apart."""

import re

import numpy as np

# Rates that the sound is said to have: what is slower sounds lower, and is spoken so much faster before.
VOICES = {"middle": 24_000, "low": 20_800, "deep": 18_400, "high": 27_000}
SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")
# What one event carries: a tenth of a second.
BLOCK = 2400


class Speaker:
    """Speaks sentence by sentence."""

    def __init__(self):
        import hibari

        self._voice = hibari.Hibari()

    def speak(self, text, voice=None):
        """Yields (rate, 16-bit samples) in blocks, as soon as each sentence is ready."""
        rate = VOICES.get(voice, VOICES["middle"])
        for sentence in SENTENCE.split(text):
            if not any(c.isalnum() for c in sentence):
                continue
            sound = np.asarray(self._voice(sentence, speed=VOICES["middle"] / rate))
            pcm = (np.clip(sound, -1, 1) * 32767).astype("<i2")
            for start in range(0, len(pcm), BLOCK):
                yield rate, pcm[start : start + BLOCK].tobytes()
