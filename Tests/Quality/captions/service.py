"""How soon and how well comlink-speech alone reads a file that it is given at the pace of speech; no Comlink node.

Usage: service.py SOCKET WORDS WAV: the service's Unix socket, what corpus.py wrote of the words, and the sound at 16 kHz
(as it came through a codec, or noise). Utterances are cut as the captioner cuts them, but by level alone. Prints errors in
words, and seconds from a word's end until it is shown and until its utterance is final: median and 95th percentile.
"""

import json
import re
import socket
import sys
import threading
import time
import wave

import numpy as np

FORM = {"rate": 16_000, "width": 2, "channels": 1}
# Blocks of 10 ms.
QUIET, LEAST, MOST, PREROLL = 60, 800, 1500, 40
LEVEL = 150


def plain(text):
    words = ("".join(c for c in word if c.isalnum()) for word in re.split(r"[\s-]+", text.casefold()))
    return ["mister" if word == "mr" else word for word in words if word]


def utterances(blocks):
    """First and last block of each, for whoever speaks on cut in a quiet moment."""
    power = (blocks.astype(float) ** 2).mean(axis=1)
    start = last = None
    is_new = True
    for index, loud in enumerate(power > LEVEL**2):
        if loud:
            last = index
            if start is None:
                start, is_new = max(0, index - PREROLL) if is_new else index, True
        if start is None:
            continue
        length = index - start
        is_quiet = length % 8 == 0 and length >= LEAST and power[index - 8 : index].mean() < power[start:index].mean() / 16
        if index - last > QUIET or length >= MOST or is_quiet:
            yield start, index
            start, is_new = None, index - last > QUIET
    if start is not None:
        yield start, len(blocks)


def event(kind, data=None, payload=b""):
    head = {"type": kind, "data": data or {}, **({"payload_length": len(payload)} if payload else {})}
    return (json.dumps(head) + "\n").encode() + payload


def listen(connection, number, began, sights, said):
    stable = ""
    with connection, connection.makefile("rb") as lines:
        for line in lines:
            head = json.loads(line)
            data = head.get("data") or {}
            if head.get("data_length"):
                data = json.loads(lines.read(head["data_length"]))
            now = time.monotonic() - began
            if head["type"] == "transcript-chunk":
                stable += data["text"]
                said[:] = [stable + " " + data.get("unstable", "")]
                sights.append((number, now, plain(stable + " " + data.get("unstable", ""))))
            elif head["type"] == "transcript":
                said[:] = [data["text"]]
                return sights.append((number, now, plain(data["text"])))


def matches(words, heard):
    """The best alignment, and how many words are wrong, missing or too many."""
    costs = np.zeros((len(words) + 1, len(heard) + 1), int)
    costs[:, 0], costs[0, :] = range(len(words) + 1), range(len(heard) + 1)
    for i, word in enumerate(words):
        for j, other in enumerate(heard):
            costs[i + 1, j + 1] = min(costs[i, j] + (word != other), costs[i, j + 1] + 1, costs[i + 1, j] + 1)
    found, i, j = [], len(words), len(heard)
    while i and j:
        if costs[i, j] == costs[i - 1, j - 1] + (words[i - 1] != heard[j - 1]):
            i, j = i - 1, j - 1
            if words[i] == heard[j]:
                found.append((i, j))
        elif costs[i, j] == costs[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return found, costs[-1, -1]


def main():
    path, words, sound = sys.argv[1:]
    words = [line.split() for line in open(words)]
    with wave.open(sound) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    blocks = samples[: len(samples) // 160 * 160].reshape(-1, 160)
    began, sights, threads, said = time.monotonic(), [], [], []
    for number, (start, end) in enumerate(utterances(blocks)):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        threads.append(threading.Thread(target=listen, args=(connection, number, began, sights, said)))
        threads[-1].start()
        # As the captioner does it.
        told = {"language": "en", **({"context": {"before": said[0][-200:]}} if said and said[0].strip() else {})}
        connection.sendall(event("transcribe", told) + event("audio-start", FORM))
        for index in range(start, end, 10):
            time.sleep(max(0, began + (index + 10) / 100 - time.monotonic()))
            connection.sendall(event("audio-chunk", FORM, blocks[index : min(index + 10, end)].tobytes()))
        connection.sendall(event("audio-stop"))
    for thread in threads:
        thread.join(30)
    last = {number: text for number, _, text in sights}
    heard = [(word, number, place) for number in sorted(last) for place, word in enumerate(last[number])]
    found, errors = matches([word for _, word in words], [word for word, _, _ in heard])
    shown, ends = [], {}
    for i, j in found:
        (end, word), (_, number, place) = words[i], heard[j]
        times = [t for n, t, text in sights if n == number and word in text[max(0, place - 1) : place + 2]]
        if end != "-":
            shown.append(times[0] - float(end))
            ends[number] = max(ends.get(number, 0), float(end))
    final = [max(t for n, t, _ in sights if n == number) - end for number, end in ends.items()]
    print(f"{errors} errors in {len(words)} words")
    for name, values in (("shown", shown), ("final", final)):
        print(f"{name}: {np.median(values):.2f} s, {np.percentile(values, 95):.2f} s")


if __name__ == "__main__":
    main()
