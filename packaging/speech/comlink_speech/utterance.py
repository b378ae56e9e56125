"""One utterance on its way from sound to words."""

import numpy as np

from .agreement import Agreement

RATE = 16_000
# Between two readings, of new sound; the last reading takes its own time on top.
STEP_SECONDS = 0.6
# Sound that one reading may have: what is longer is cut at its quietest place among the last seconds.
MOST_SECONDS = 18
CUT_SECONDS = 5
# Around speech, so that no sound of it is lost.
MARGIN_SECONDS = 0.25


class Utterance:
    """Reads growing sound with `recogniser` in front of which `detector` listens.

    Not for several threads at once."""

    def __init__(self, recogniser, detector, language=None):
        self._recogniser = recogniser
        self._detector = detector
        self.language = language
        self.confidence = 0.0
        self._pcm = bytearray()
        # Octets before it were read for good.
        self._start = 0
        self._read = 0
        self._agreement = Agreement()
        self._said = []
        # Words of sound that is read for good.
        self._kept = []

    @property
    def unstable(self):
        """Words that may still change."""
        return " ".join(self._agreement.unstable)

    def take(self, pcm):
        """Takes 16-bit samples at 16 kHz."""
        self._pcm += pcm
        self._detector.take(pcm)

    def is_due(self):
        """Whether there is enough new speech for a reading."""
        last = self._detector.last
        return last is not None and last > self._read and len(self._pcm) - self._read >= STEP_SECONDS * RATE * 2

    def read(self):
        """Reads once; returns the words that stay from now on, as a text that follows the former."""
        if len(self._pcm) - self._start > MOST_SECONDS * RATE * 2:
            return self._cut()
        self._read = len(self._pcm)
        text = self._text(len(self._pcm), is_last=False)
        return self._follow(self._agreement.read(text))

    def finish(self):
        """Reads for the last time; returns the words that follow, and the whole text, as that reading has it."""
        text = ""
        if self._detector.last is not None and self._detector.last > self._start:
            text = self._text(len(self._pcm))
        rest = self._follow(self._agreement.finish(text))
        return rest, " ".join(self._kept + text.split() if text else self._said)

    def _text(self, end, is_last=True):
        """A reading of what is not read for good yet, without the silence around it."""
        margin = int(MARGIN_SECONDS * RATE) * 2
        start = max(self._start, self._detector.first - margin) // 2 * 2
        end = min(end, self._detector.last + margin) // 2 * 2
        if end <= start:
            return ""
        sound = np.frombuffer(bytes(self._pcm[start:end]), "<i2").astype(np.float32) / 32768
        before = " ".join(self._kept[-30:])
        text, self.language, self.confidence = self._recogniser.recognise(sound, self.language, before, is_last)
        return text

    def _cut(self):
        """Reads what is before the quietest place of the last seconds for good."""
        tail = np.frombuffer(bytes(self._pcm[-CUT_SECONDS * RATE * 2 :]), "<i2").astype(np.float32)
        tail = tail[: len(tail) // 1600 * 1600].reshape(-1, 1600)
        quietest = int(np.argmin((tail**2).mean(axis=1)[:-5]))
        end = len(self._pcm) - CUT_SECONDS * RATE * 2 + (quietest * 1600 + 800) * 2
        text = self._text(end)
        # Words that stay may lie behind the cut: the next readings have them once more.
        ahead = self._agreement.stable[len(text.split()) :]
        words = self._follow(self._agreement.finish(text))
        self._kept += text.split()
        self._start = self._read = end
        self._agreement = Agreement(ahead)
        return words

    def _follow(self, words):
        text = " ".join(words)
        if not text:
            return ""
        first = not self._said
        self._said += words
        return text if first else " " + text
