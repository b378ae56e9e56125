"""The speech service without a model: what it makes of readings, and of what clients send."""

import asyncio
import unittest

import numpy as np

from comlink_speech import wyoming
from comlink_speech.agreement import Agreement
from comlink_speech.mel import Mel, frames
from comlink_speech.server import Service
from comlink_speech.utterance import MOST_SECONDS, Utterance

SOUND = {"rate": 16_000, "width": 2, "channels": 1}


class Loud:
    """Takes all that is not silent for speech."""

    def __init__(self):
        self.first = self.last = None
        self._bytes = 0

    def take(self, pcm):
        if any(pcm):
            self.first = self._bytes if self.first is None else self.first
            self.last = self._bytes + len(pcm)
        self._bytes += len(pcm)


class Counting:
    """Hears a word each second: one, two, three …, and how long each reading was."""

    WORDS = "one two three four five six seven eight nine ten".split()

    def __init__(self):
        self.seconds = []
        self.lasts = []

    def languages(self):
        return ["en"]

    def recognise(self, sound, language, before, is_last):
        self.seconds.append(len(sound) / 16_000)
        self.lasts.append(is_last)
        first = self.WORDS.index(before.split()[-1]) + 1 if before else 0
        count = round(len(sound) / 16_000)
        return " ".join(self.WORDS[(first + i) % 10] for i in range(count)), "en", 0.5


class Speaking:
    def speak(self, text, voice):
        for _ in text.split():
            yield 24_000, b"\1\0" * 10


def loud(seconds):
    return (np.ones(int(16_000 * seconds), "<i2") * 5000).tobytes()


class AgreementTests(unittest.TestCase):
    def test_words_stay_once_two_readings_agree(self):
        agreement = Agreement()
        self.assertEqual(agreement.read("turn the light"), [])
        self.assertEqual(agreement.read("Turn the lights on"), ["Turn", "the"])
        self.assertEqual(agreement.unstable, ["lights", "on"])
        self.assertEqual(agreement.finish("turn the lights on, please"), ["lights", "on,", "please"])
        self.assertEqual(agreement.stable, ["Turn", "the", "lights", "on,", "please"])

    def test_a_shorter_reading_takes_nothing_back(self):
        agreement = Agreement()
        agreement.read("a b c")
        agreement.read("a b c")
        self.assertEqual(agreement.read("a"), [])
        self.assertEqual(agreement.finish("a"), [])
        self.assertEqual(agreement.stable, ["a", "b", "c"])


class MelTests(unittest.TestCase):
    def test_a_tone_is_in_its_band_and_silence_is_flat(self):
        mel = Mel()
        tone = np.sin(2 * np.pi * 1000 * np.arange(16_000) / 16_000).astype(np.float32)
        spectrum = mel.spectrum(tone)
        self.assertEqual(spectrum.shape, (80, 3000))
        # 1 kHz is at 15 of the scale's 45.2 mels, which 80 bands divide.
        self.assertAlmostEqual(int(spectrum[:, 50].argmax()), 26, delta=1)
        self.assertEqual(np.ptp(mel.spectrum(np.zeros(16_000, np.float32))), 0)


    def test_short_sound_has_few_frames_and_no_sound_more_than_there_are(self):
        self.assertEqual(frames(0), 500)
        self.assertEqual(frames(16_000 * 3 + 161), 800)
        self.assertEqual(frames(16_000 * 30), 3000)
        for samples in range(0, 500_000, 777):
            self.assertTrue(frames(samples) % 2 == 0 and frames(samples) * 160 >= min(samples, 480_000))


class UtteranceTests(unittest.TestCase):
    def test_silence_is_never_read(self):
        recogniser = Counting()
        utterance = Utterance(recogniser, Loud())
        utterance.take(bytes(16_000 * 2 * 5))
        self.assertFalse(utterance.is_due())
        self.assertEqual(utterance.finish(), ("", ""))
        self.assertEqual(recogniser.seconds, [])

    def test_readings_grow_and_the_last_one_holds(self):
        utterance = Utterance(Counting(), Loud())
        told = ""
        for _ in range(4):
            utterance.take(loud(1))
            self.assertTrue(utterance.is_due())
            told += utterance.read()
        rest, text = utterance.finish()
        self.assertEqual((told + rest, text), ("one two three four", "one two three four"))

    def test_the_last_reading_is_the_text_whatever_the_hasty_ones_made_of_it(self):
        class Hasty(Counting):
            def recognise(self, sound, language, before, is_last):
                text, language, confidence = super().recognise(sound, language, before, is_last)
                return text if is_last else text.replace("two", "to"), language, confidence

        utterance = Utterance(Hasty(), Loud())
        for _ in range(4):
            utterance.take(loud(1))
            utterance.read()
        self.assertEqual(utterance.finish()[1], "one two three four")

    def test_a_pause_is_read_as_the_end_which_needs_no_reading_of_its_own_then(self):
        recogniser = Counting()
        utterance = Utterance(recogniser, Loud())
        utterance.take(loud(2))
        utterance.read()
        utterance.take(bytes(int(16_000 * 0.2) * 2))
        self.assertFalse(utterance.is_due())
        utterance.take(bytes(int(16_000 * 0.2) * 2))
        self.assertTrue(utterance.is_due())
        told = utterance.read()
        self.assertEqual((told, recogniser.lasts), ("one two", [False, True]))
        utterance.take(bytes(16_000))
        self.assertFalse(utterance.is_due())
        self.assertEqual(utterance.finish(), ("", "one two"))
        self.assertEqual(len(recogniser.lasts), 2)

    def test_who_goes_on_after_a_pause_is_read_to_the_end(self):
        recogniser = Counting()
        utterance = Utterance(recogniser, Loud())
        for piece in (loud(2), bytes(16_000), loud(2), bytes(16_000)):
            utterance.take(piece)
            self.assertTrue(utterance.is_due())
            utterance.read()
        self.assertEqual(recogniser.lasts, [False, True, False, True])
        utterance.take(loud(1))
        self.assertEqual(utterance.finish()[1], "one two three four five six")
        self.assertEqual(len(recogniser.lasts), 5)

    def test_what_was_said_before_is_told_to_last_readings(self):
        told = []

        class Asking(Counting):
            def recognise(self, sound, language, before, is_last):
                told.append((before, is_last))
                return super().recognise(sound, language, "", is_last)

        utterance = Utterance(Asking(), Loud(), before="so far two")
        utterance.take(loud(1))
        utterance.read()
        utterance.finish()
        self.assertEqual(told, [("", False), ("so far two", True)])

    def test_what_is_long_is_cut_and_no_reading_is_longer_than_it_may_be(self):
        recogniser = Counting()
        utterance = Utterance(recogniser, Loud())
        told = ""
        for _ in range(60):
            utterance.take(loud(1))
            told += utterance.read()
        rest, text = utterance.finish()
        self.assertEqual(told + rest, text)
        self.assertTrue(55 <= len(text.split()) <= 65, text)
        self.assertLess(max(recogniser.seconds), MOST_SECONDS + 1)


class ServerTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.service = Service(Counting(), Loud, Speaking())
        self.server = await asyncio.start_server(self.service.serve, "127.0.0.1", 0, limit=wyoming.LINE_BYTES)
        self.reader, self.writer = await asyncio.open_connection(*self.server.sockets[0].getsockname())

    async def asyncTearDown(self):
        self.writer.close()
        self.server.close()
        while self.service.clients:
            await asyncio.sleep(0.01)

    async def answers(self, last, *octets):
        for piece in octets:
            self.writer.write(piece)
        answers = []
        while not answers or answers[-1] is not None and answers[-1][0] != last:
            answers.append(await asyncio.wait_for(wyoming.read_event(self.reader), 20))
        return answers

    async def test_speech_becomes_text_twice_over_one_connection(self):
        for _ in range(2):
            answers = await self.answers(
                "transcript", wyoming.event("transcribe"), wyoming.event("audio-start", SOUND),
                wyoming.event("audio-chunk", SOUND, loud(3)), wyoming.event("audio-stop"))
            self.assertEqual(answers[-1][1]["text"], "one two three")

    async def test_a_text_becomes_sound(self):
        answers = await self.answers("audio-stop", wyoming.event("synthesize", {"text": "three short words"}))
        self.assertEqual([a[0] for a in answers], ["audio-start"] + ["audio-chunk"] * 3 + ["audio-stop"])

    async def test_what_no_honest_client_sends_is_refused_in_words(self):
        for octets in (
            b"hello\n", b"[]\n", b'{"type":5}\n', b'{"type":"a","data":[1]}\n', b'{"type":"a","data_length":-1}\n',
            b'{"type":"a","payload_length":99999999999}\n', b"[" * 50_000 + b"\n", b"x" * 200_000,
            wyoming.event("transcribe", {"context": 5}) + wyoming.event("transcribe", {"context": {"before": [1]}})
            + wyoming.event("audio-start", {"rate": 8000, "width": 2, "channels": 1}),
            wyoming.event("audio-start", {"rate": 8000, "width": 2, "channels": 1}),
            wyoming.event("synthesize", {"text": 5}), wyoming.event("synthesize", {"text": "a" * 9000}),
            wyoming.event("audio-start", SOUND) + wyoming.event("audio-chunk", SOUND, b"\1"),
        ):
            with self.subTest(octets[:60]):
                answers = await self.answers("error", octets)
                self.assertEqual(answers[-1][0], "error")
                self.writer.close()
                self.reader, self.writer = await asyncio.open_connection(*self.server.sockets[0].getsockname())

    async def test_half_an_event_and_the_end_harm_nobody(self):
        self.writer.write(b'{"type":"audio-chunk","payload_length":100}\nabc')
        self.writer.write_eof()
        self.assertEqual(await asyncio.wait_for(self.reader.read(), 20), b"")


if __name__ == "__main__":
    unittest.main()
