"""A text spoken into a WAV file, by comlink-speech's speaker: say.py FILE TEXT."""

import sys
import wave

from comlink_speech.speaker import Speaker

if __name__ == "__main__":
    blocks = list(Speaker().speak(sys.argv[2]))
    with wave.open(sys.argv[1], "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(blocks[0][0])
        file.writeframes(b"".join(pcm for _, pcm in blocks))
