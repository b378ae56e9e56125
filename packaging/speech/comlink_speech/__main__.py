"""comlink-speech: the program."""

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
from urllib.parse import urlsplit

from . import wyoming
from .server import Service, log

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def parse(arguments):
    """The command line; ends the program with a word where it is wrong."""
    parser = argparse.ArgumentParser(
        prog="comlink-speech", description="Speech to text and text to speech for Comlink, by the Wyoming protocol.")
    parser.add_argument("--uri", default="tcp://127.0.0.1:10300",
                        help="where it listens: tcp://127.0.0.1:PORT or unix:///PATH (default: %(default)s)")
    parser.add_argument("--model", metavar="DIR",
                        help="folder of a Whisper model for CTranslate2 (model.bin, config.json, tokenizer.json)")
    parser.add_argument("--language", help="language that is spoken, such as en; else the model guesses")
    parser.add_argument("--threads", type=int, default=2, help="threads of recognition (default: %(default)s)")
    parser.add_argument("--speak", action="store_true", help="speaks too, by hibari")
    parser.add_argument("--open-to-network", action="store_true",
                        help="listens on other addresses than loopback: no password, no encryption")
    parser.add_argument("--verbose", action="store_true", help="logs each utterance, without its words")
    options = parser.parse_args(arguments)
    if not options.model and not options.speak:
        parser.error("give --model DIR, --speak, or both")
    place = urlsplit(options.uri)
    if place.scheme not in ("tcp", "unix"):
        parser.error("--uri must be tcp://HOST:PORT or unix:///PATH")
    if place.scheme == "tcp" and place.hostname not in LOOPBACK and not options.open_to_network:
        parser.error(f"--uri {options.uri} is open to others, and Wyoming has no password; add --open-to-network")
    return options, place


def make_service(options):
    """Loads the models."""
    recogniser = make_detector = speaker = None
    if options.model:
        from .detector import Detector
        from .whisper import Whisper

        recogniser, make_detector = Whisper(options.model, options.threads), Detector
    if options.speak:
        from .speaker import Speaker

        speaker = Speaker()
    return Service(recogniser, make_detector, speaker, options.language)


async def serve(service, place):
    """Serves until a signal."""
    if place.scheme == "unix":
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place.path)
        server = await asyncio.start_unix_server(service.serve, place.path, limit=wyoming.LINE_BYTES)
        os.chmod(place.path, 0o660)
    else:
        server = await asyncio.start_server(service.serve, place.hostname, place.port or 10300, limit=wyoming.LINE_BYTES)
    log.info("ready: %s", ", ".join(str(s.getsockname()) for s in server.sockets))
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    # Neither clients nor threads in the middle of a reading are waited for, as asyncio would.
    os._exit(0)


def main():
    options, place = parse(sys.argv[1:])
    logging.basicConfig(level=logging.DEBUG if options.verbose else logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    try:
        service = make_service(options)
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        log.error("comlink-speech: cannot load its models: %s", error)
        return 78
    try:
        asyncio.run(serve(service, place))
    except OSError as error:
        log.error("comlink-speech: cannot listen at %s: %s; choose another --uri", options.uri, error)
        return 71


if __name__ == "__main__":
    sys.exit(main())
