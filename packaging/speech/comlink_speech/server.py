"""The Wyoming service: one connection is one client; recognition and speech run on threads of their own."""

import asyncio
import concurrent.futures
import contextlib
import logging
import time

from . import wyoming
from .speaker import VOICES
from .utterance import Utterance

log = logging.getLogger("comlink-speech")
CLIENTS = 16
# Sound of an utterance that waits or was read: two minutes.
UTTERANCE_BYTES = 16_000 * 2 * 120
TEXT_BYTES = 8 * 1024
IDLE_SECONDS = 600
# Of what was said before, which a client may tell.
BEFORE_LETTERS = 300


class Service:
    """What all clients share: the models, and a thread for each, so that one thing is done at a time."""

    def __init__(self, recogniser=None, make_detector=None, speaker=None, language=None):
        self._recogniser = recogniser
        self._make_detector = make_detector
        self._speaker = speaker
        self._language = language
        self.clients = 0
        self._reading = concurrent.futures.ThreadPoolExecutor(1, "recognise")
        self._speaking = concurrent.futures.ThreadPoolExecutor(1, "speak")

    async def serve(self, reader, writer):
        """Serves a client to its end, whatever it does."""
        if self.clients >= CLIENTS:
            writer.close()
            return
        self.clients += 1
        try:
            await _Client(self, reader, writer).run()
        except wyoming.Refused as error:
            log.warning("refused a client: %s", error)
            with contextlib.suppress(OSError):
                writer.write(wyoming.event("error", {"text": str(error), "code": "refused"}))
        except (OSError, asyncio.TimeoutError):
            pass
        finally:
            self.clients -= 1
            writer.close()

    def info(self):
        """What this service can do."""
        from_us = {"name": "Comlink", "url": "https://comlink.invalid"}
        common = {"attribution": from_us, "installed": True, "version": "1"}
        info = {"asr": [], "tts": [], "handle": [], "intent": [], "wake": []}
        if self._recogniser:
            model = {**common, "name": "whisper", "description": "Whisper by CTranslate2", "languages": self._recogniser.languages()}
            info["asr"].append({**common, "name": "comlink-speech", "description": "Speech to text",
                                "supports_transcript_streaming": True, "models": [model]})
        if self._speaker:
            voices = [{**common, "name": name, "description": name, "languages": ["en"]} for name in VOICES]
            info["tts"].append({**common, "name": "comlink-speech", "description": "Text to speech",
                                "supports_synthesize_streaming": False, "voices": voices})
        return info

    def utterance(self, language, before=""):
        """A new utterance, and what was said just before."""
        if not self._recogniser:
            raise wyoming.Refused("this service has no model for recognition; set one with --model")
        return Utterance(self._recogniser, self._make_detector(), language or self._language, before)

    def in_turn(self, function, *arguments):
        """Runs a part of recognition, after those that came before."""
        return asyncio.get_running_loop().run_in_executor(self._reading, function, *arguments)

    def speech(self, text, voice):
        """The blocks of a spoken text, as something to await one after the other."""
        if not self._speaker:
            raise wyoming.Refused("this service does not speak; start it with --speak")
        blocks = self._speaker.speak(text, voice)
        loop = asyncio.get_running_loop()
        return lambda: loop.run_in_executor(self._speaking, next, blocks, None)


class _Client:
    def __init__(self, service, reader, writer):
        self._service = service
        self._reader = reader
        self._writer = writer
        self._utterance = None
        self._language = None
        self._before = ""
        self._bytes = 0
        self._reading = None
        self._is_streaming = False

    async def run(self):
        while True:
            event = await asyncio.wait_for(wyoming.read_event(self._reader), IDLE_SECONDS)
            if event is None:
                break
            await self._take(*event)
        if self._reading:
            await self._reading

    async def _send(self, kind, data=None, payload=b""):
        self._writer.write(wyoming.event(kind, data, payload))
        await self._writer.drain()

    async def _take(self, kind, data, payload):
        if kind == "describe":
            await self._send("info", self._service.info())
        elif kind == "transcribe":
            language = data.get("language")
            self._language = language if isinstance(language, str) and 2 <= len(language) <= 3 else None
            context = data.get("context")
            before = context.get("before") if isinstance(context, dict) else None
            self._before = before[-BEFORE_LETTERS:] if isinstance(before, str) else ""
        elif kind == "audio-start":
            self._check(data)
            self._utterance = self._service.utterance(self._language, self._before)
            self._before = ""
            self._bytes, self._is_streaming = 0, False
        elif kind == "audio-chunk" and self._utterance:
            self._check(data)
            await self._hear(payload)
        elif kind == "audio-stop" and self._utterance:
            await self._finish()
        elif kind == "synthesize":
            await self._speak(data)
        elif kind == "ping":
            await self._send("pong", data)

    @staticmethod
    def _check(data):
        if (data.get("rate"), data.get("width"), data.get("channels")) != (16_000, 2, 1):
            raise wyoming.Refused("sound must be 16-bit samples at 16 kHz, one channel")

    async def _hear(self, pcm):
        self._bytes += len(pcm)
        if len(pcm) % 2 or self._bytes > UTTERANCE_BYTES:
            raise wyoming.Refused("sound must be whole samples, two minutes at most")
        self._utterance.take(pcm)
        if self._utterance.is_due() and (self._reading is None or self._reading.done()):
            self._reading = asyncio.ensure_future(self._read(self._utterance))

    async def _read(self, utterance):
        """Reads while sound comes; what goes wrong is told with the last reading."""
        with contextlib.suppress(Exception):
            stable = await self._service.in_turn(utterance.read)
            if utterance is self._utterance and (stable or utterance.unstable):
                await self._chunk(stable, utterance.unstable)

    async def _chunk(self, stable, unstable):
        if not self._is_streaming:
            self._is_streaming = True
            await self._send("transcript-start", {"language": self._utterance.language})
        await self._send("transcript-chunk", {"text": stable, "unstable": unstable})

    async def _finish(self):
        if self._reading:
            await self._reading
        utterance, began = self._utterance, time.monotonic()
        rest, text = await self._service.in_turn(utterance.finish)
        if rest and self._is_streaming:
            await self._chunk(rest, "")
        told = {"text": text, "language": utterance.language, "confidence": round(utterance.confidence, 3)}
        await self._send("transcript", told)
        if self._is_streaming:
            await self._send("transcript-stop")
        self._utterance = None
        log.debug("%.1f s of sound, last reading %.2f s", self._bytes / 32_000, time.monotonic() - began)

    async def _speak(self, data):
        text, voice = data.get("text"), data.get("voice")
        if not isinstance(text, str) or len(text.encode()) > TEXT_BYTES:
            raise wyoming.Refused(f"a text to speak has {TEXT_BYTES} bytes at most")
        name = voice.get("name") if isinstance(voice, dict) else None
        block = self._service.speech(text, name)
        form = None
        while (spoken := await block()) is not None:
            rate, pcm = spoken
            if form is None:
                form = {"rate": rate, "width": 2, "channels": 1}
                await self._send("audio-start", form)
            await self._send("audio-chunk", form, pcm)
        if form is None:
            await self._send("audio-start", {"rate": 24_000, "width": 2, "channels": 1})
        await self._send("audio-stop")
