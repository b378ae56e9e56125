"""A speech service by the wyoming package's own server: wyoming_server.py PATH STREAMS, where STREAMS is 0 or 1.

It recognises how many octets of speech came, speaks a tenth of a second for each word, and wakes after a second.
"""

import asyncio
import sys

from wyoming.asr import Transcribe, Transcript, TranscriptChunk, TranscriptStart, TranscriptStop
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event
from wyoming.info import AsrModel, AsrProgram, Attribution, Describe, Info, TtsProgram, TtsVoice, WakeModel, WakeProgram
from wyoming.server import AsyncEventHandler, AsyncServer
from wyoming.tts import Synthesize
from wyoming.wake import Detect, Detection

RATE = 22_050


class Handler(AsyncEventHandler):
    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self.octets = 0
        self.wakes = False
        self.streams = sys.argv[2] == "1"

    async def handle_event(self, event: Event) -> bool:
        if Describe.is_type(event.type):
            await self.write_event(self.info().event())
        elif Transcribe.is_type(event.type):
            self.language = Transcribe.from_event(event).language
        elif Detect.is_type(event.type):
            self.wakes = Detect.from_event(event).names == ["ok_comlink"]
        elif AudioChunk.is_type(event.type):
            chunk = AudioChunk.from_event(event)
            assert (chunk.rate, chunk.width, chunk.channels) == (16_000, 2, 1)
            self.octets += len(chunk.audio)
            if self.wakes and self.octets >= 32_000:
                self.wakes = False
                await self.write_event(Detection(name="ok_comlink").event())
        elif AudioStop.is_type(event.type):
            await self.tell(f"{self.octets} octets")
        elif Synthesize.is_type(event.type):
            await self.speak(Synthesize.from_event(event))
        return True

    async def tell(self, text: str) -> None:
        if self.streams:
            await self.write_event(TranscriptStart(language=self.language).event())
            for word in text.split():
                await self.write_event(TranscriptChunk(text=word + " ").event())
        await self.write_event(Transcript(text=text, language=self.language).event())
        if self.streams:
            await self.write_event(TranscriptStop().event())

    async def speak(self, wanted: Synthesize) -> None:
        assert wanted.voice and wanted.voice.name == "tone"
        await self.write_event(AudioStart(RATE, 2, 1).event())
        for _ in wanted.text.split():
            await self.write_event(AudioChunk(RATE, 2, 1, b"\1\0" * (RATE // 10)).event())
        await self.write_event(AudioStop().event())

    def info(self) -> Info:
        common = {"attribution": Attribution(name="test", url="https://comlink.invalid"), "installed": True,
                  "description": None, "version": None}
        return Info(
            asr=[AsrProgram(name="counter", models=[AsrModel(name="counter", languages=["en"], **common)],
                            supports_transcript_streaming=self.streams, **common)],
            tts=[TtsProgram(name="tone", voices=[TtsVoice(name="tone", languages=["en"], speakers=None, **common)],
                            **common)],
            wake=[WakeProgram(name="wake", models=[
                WakeModel(name="ok_comlink", languages=["en"], phrase="OK Comlink", **common)], **common)])


if __name__ == "__main__":
    asyncio.run(AsyncServer.from_uri(f"unix://{sys.argv[1]}").run(Handler))
