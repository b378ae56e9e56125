"""Whisper by CTranslate2, from a folder of the user's: model.bin, config.json, tokenizer.json or vocabulary."""

import os

import ctranslate2
import numpy as np
import tokenizers

from .mel import Mel, frames

# What cannot be speech of that length is not waited for.
TOKENS_A_SECOND = 12
# Readings that the last one looks at beside each other.
BEAMS = 3
# A reading that knows what was before may have so few of the other's tokens.
SHARE_OF_TOKENS = 0.9


class Whisper:
    """Recognises up to 30 s at a time."""

    def __init__(self, folder, threads=2):
        path = os.path.join(folder, "tokenizer.json")
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path} is missing: take a model with tokenizer.json beside model.bin")
        self._tokenizer = tokenizers.Tokenizer.from_file(path)
        self._model = ctranslate2.models.Whisper(
            folder, device="cpu", compute_type="int8", inter_threads=1, intra_threads=threads
        )
        self._mel = Mel(self._model.n_mels)
        self.is_multilingual = self._model.is_multilingual

    def _id(self, name):
        number = self._tokenizer.token_to_id(name)
        if number is None:
            raise ValueError(f"the model's tokenizer does not know {name}")
        return number

    def languages(self):
        """The languages that it knows, as two or three letters."""
        if not self.is_multilingual:
            return ["en"]
        names = self._tokenizer.get_vocab()
        return sorted(n[2:-2] for n in names if n.startswith("<|") and 4 <= len(n) - 2 <= 5 and n[2:-2].islower())

    def recognise(self, sound, language=None, before="", is_last=True):
        """The text of float samples at 16 kHz, its language and confidence 0…1.

        `before` is what was said just before, so that a sentence goes on. Unless it is the last reading of that sound it
        is done in a third of the time, and not quite as well."""
        mel = self._mel.spectrum(sound)
        if not is_last:
            mel = mel[:, : frames(len(sound))]
        features = ctranslate2.StorageView.from_array(np.ascontiguousarray(mel[None]))
        encoded = self._model.encode(features)
        if not self.is_multilingual:
            language = "en"
        elif language is None:
            language = self._model.detect_language(encoded)[0][0][0][2:-2]
        result = self._decode(encoded, len(sound), language, "" if is_last else before, is_last)
        if is_last and before:
            # Knowing what was said it hears better, or leaves the rest out: taken where it is surer and no shorter.
            informed = self._decode(encoded, len(sound), language, before, is_last)
            if informed.scores[0] >= result.scores[0] and (
                    len(informed.sequences_ids[0]) >= SHARE_OF_TOKENS * len(result.sequences_ids[0])):
                result = informed
        if result.no_speech_prob > 0.8 and result.scores[0] < -1:
            return "", language, 0.0
        end = self._id("<|endoftext|>")
        tokens = [token for token in result.sequences_ids[0] if token < end]
        return self._tokenizer.decode(tokens).strip(), language, float(np.exp(result.scores[0]))

    def _decode(self, encoded, samples, language, before, is_last):
        prompt = []
        if before:
            prompt = [self._id("<|startofprev|>")] + self._tokenizer.encode(" " + before, add_special_tokens=False).ids[-100:]
        prompt.append(self._id("<|startoftranscript|>"))
        if self.is_multilingual:
            prompt += [self._id(f"<|{language}|>"), self._id("<|transcribe|>")]
        prompt.append(self._id("<|notimestamps|>"))
        most = min(224, 8 + int(samples / 16_000 * TOKENS_A_SECOND))
        return self._model.generate(
            encoded, [prompt], beam_size=BEAMS if is_last else 1, max_length=len(prompt) + most, return_scores=True,
            # People say a few words twice; a model that is lost says the same for ever.
            return_no_speech_prob=True, suppress_blank=True, no_repeat_ngram_size=8,
        )[0]
