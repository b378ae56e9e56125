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
# So long after the last speech it is read as for the last time: mostly it is, and the text is there when the client
# ends it. More than the margin, so that the end itself changes nothing.
PAUSE_SECONDS = 0.3


class Utterance:
    """Reads growing sound with `recogniser` in front of which `detector` listens.

    Not for several threads at once."""

    def __init__(self, recogniser, detector, language=None, before=""):
        """`before` is what the same talker said just before."""
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
        # Words of sound that is read for good, and those before it.
        self._kept = []
        self._before = before.split()
        # Where the last speech ended that was read in a pause, and its text.
        self._pause_read = (None, "")

    @property
    def unstable(self):
        """Words that may still change."""
        return " ".join(self._agreement.unstable)

    def take(self, pcm):
        """Takes 16-bit samples at 16 kHz."""
        self._pcm += pcm
        self._detector.take(pcm)

    def is_due(self):
        """Whether there is enough new speech for a reading, or a pause."""
        last = self._detector.last
        if last is None:
            return False
        if self._is_pause(last):
            return last > self._start and last != self._pause_read[0]
        return last > self._read and len(self._pcm) - self._read >= STEP_SECONDS * RATE * 2

    def _is_pause(self, last):
        return len(self._pcm) - last >= PAUSE_SECONDS * RATE * 2

    def read(self):
        """Reads once; returns the words that stay from now on, as a text that follows the former."""
        if len(self._pcm) - self._start > MOST_SECONDS * RATE * 2:
            return self._cut()
        last = self._detector.last
        is_pause = self._is_pause(last)
        self._read = len(self._pcm)
        text = self._text(len(self._pcm), last, is_last=is_pause)
        if is_pause:
            self._pause_read = (last, text)
        return self._follow(self._agreement.read(text))

    def finish(self):
        """Reads for the last time; returns the words that follow, and the whole text, as that reading has it."""
        text, last = "", self._detector.last
        if last is not None and last > self._start:
            text = self._pause_read[1] if last == self._pause_read[0] else self._text(len(self._pcm), last)
        rest = self._follow(self._agreement.finish(text))
        return rest, " ".join(self._kept + text.split() if text else self._said)

    def _text(self, end, last, is_last=True):
        """A reading of what is not read for good yet, up to the end of its last speech, without the silence around it."""
        margin = int(MARGIN_SECONDS * RATE) * 2
        start = max(self._start, self._detector.first - margin) // 2 * 2
        end = min(end, last + margin) // 2 * 2
        if end <= start:
            return ""
        sound = np.frombuffer(bytes(self._pcm[start:end]), "<i2").astype(np.float32) / 32768
        # For a hasty reading the sound alone: what was before helps a little, and may have it end early.
        before = " ".join(((self._before if is_last else []) + self._kept)[-30:])
        text, self.language, self.confidence = self._recogniser.recognise(sound, self.language, before, is_last)
        return text

    def _cut(self):
        """Reads what is before the quietest place of the last seconds for good."""
        tail = np.frombuffer(bytes(self._pcm[-CUT_SECONDS * RATE * 2 :]), "<i2").astype(np.float32)
        tail = tail[: len(tail) // 1600 * 1600].reshape(-1, 1600)
        quietest = int(np.argmin((tail**2).mean(axis=1)[:-5]))
        end = len(self._pcm) - CUT_SECONDS * RATE * 2 + (quietest * 1600 + 800) * 2
        text = self._text(end, self._detector.last)
        # Words that stay may lie behind the cut: the next readings have them once more.
        ahead = self._agreement.stable[len(text.split()) :]
        words = self._follow(self._agreement.finish(text))
        self._kept += text.split()
        self._start = self._read = end
        self._pause_read = (None, "")
        self._agreement = Agreement(ahead)
        return words

    def _follow(self, words):
        text = " ".join(words)
        if not text:
            return ""
        first = not self._said
        self._said += words
        return text if first else " " + text
