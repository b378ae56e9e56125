"""Comlink's speech service: speech to text and text to speech, by the Wyoming protocol."""
