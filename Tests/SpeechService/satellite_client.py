"""What Home Assistant does with a voice satellite, by the wyoming package's own client: satellite_client.py PORT.

Prints a line of JSON: what the satellite says it is, how loud its microphone was, and whether it said that all was
played.
"""

import array
import asyncio
import json
import math
import sys

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.satellite import PauseSatellite, RunSatellite
from wyoming.snd import Played


async def until(client: AsyncTcpClient, kind: type) -> object:
    while True:
        event = await asyncio.wait_for(client.read_event(), 20)
        assert event is not None, f"gone before {kind.__name__}"
        if kind.is_type(event.type):
            return kind.from_event(event)


async def main() -> None:
    async with AsyncTcpClient("127.0.0.1", int(sys.argv[1])) as client:
        await client.write_event(Describe().event())
        satellite = (await until(client, Info)).satellite
        await client.write_event(Ping(text="still there?").event())
        assert (await until(client, Pong)).text == "still there?"
        await client.write_event(RunSatellite().event())
        run = await until(client, RunPipeline)
        assert run.start_stage == PipelineStage.WAKE and run.end_stage == PipelineStage.TTS
        heard = array.array("h")
        while len(heard) < 16_000:
            chunk = await until(client, AudioChunk)
            assert (chunk.rate, chunk.width, chunk.channels) == (16_000, 2, 1)
            heard.frombytes(chunk.audio)
        await client.write_event(PauseSatellite().event())
        sound = array.array("h", (int(8000 * math.sin(i / 5)) for i in range(11_025)))
        await client.write_event(AudioStart(rate=22_050, width=2, channels=1).event())
        for start in range(0, len(sound), 1024):
            piece = sound[start : start + 1024].tobytes()
            await client.write_event(AudioChunk(rate=22_050, width=2, channels=1, audio=piece).event())
        await client.write_event(AudioStop().event())
        await until(client, Played)
    level = math.sqrt(sum(sample * sample for sample in heard) / len(heard))
    print(json.dumps({"name": satellite.name, "version": satellite.version, "level": level, "played": True}))


asyncio.run(main())
