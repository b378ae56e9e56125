"""LocalAgreement-2: words stay once two readings of a growing piece of sound agree on them."""


def _plain(word):
    """A word as it is compared: case and punctuation may change with what follows."""
    return "".join(c for c in word.casefold() if c.isalnum()) or word


class Agreement:
    """The words of one utterance."""

    def __init__(self, ahead=()):
        """`ahead` are words of this sound that stay already."""
        self._former = []
        self.stable = list(ahead)
        self.unstable = []

    def read(self, text):
        """Takes a reading of all the sound so far; returns the words that stay from now on."""
        words = text.split()
        count = len(self.stable)
        new = []
        for former, word in zip(self._former[count:], words[count:]):
            if _plain(former) != _plain(word):
                break
            new.append(word)
        self.stable += new
        self._former = words
        self.unstable = words[len(self.stable):]
        return new

    def finish(self, text):
        """Takes the last reading, which holds; returns the words that follow those that stay."""
        rest = text.split()[len(self.stable):]
        self.stable += rest
        self.unstable = []
        return rest
