"""Scores recordings of speech, segment by segment: PESQ wide band (ITU-T P.862.2) and STOI.

Takes a job on stdin and gives scores on stdout, both JSON; sounds are files of 32-bit floats. A job has the
`rate` of all sounds, the `reference`, the `starts` of its segments and how many `frames` each has, and
`recordings`, each a `path` and where each segment is `expected`: it is searched from 50 ms before to 700 ms
after. PESQ, which finds its way itself when the delay changes, gets the segment as it was heard, STOI one whose
seconds are searched once more, each by itself. PESQ of a segment in which no speech can be found is null.
"""

import json
import sys

import numpy
from pesq import PesqError, pesq
from pystoi import stoi
from scipy.signal import correlate, resample_poly

SCORE_RATE = 16000
EARLIER_SECONDS = 0.05
LATER_SECONDS = 0.7
SLACK_SECONDS = 0.15


def place(segment, recording, first, last):
    """The frame from first to last at which the segment matches the recording best, and how well: -1 to 1."""
    first = max(0, first)
    window = recording[first : last + len(segment)]
    if len(window) < len(segment):
        return first, 0.0
    products = correlate(window, segment, mode="valid", method="fft")
    energies = numpy.cumsum(numpy.concatenate(([0.0], window.astype(numpy.float64) ** 2)))
    energies = energies[len(segment) :] - energies[: -len(segment)]
    scale = numpy.sqrt(numpy.maximum(energies, 1e-9) * numpy.sum(segment.astype(numpy.float64) ** 2))
    values = products / numpy.maximum(scale, 1e-9)
    best = int(numpy.argmax(values))
    return first + best, float(values[best])


def excerpt(recording, first, frames):
    """So many frames, with silence where there are none."""
    heard = recording[first : first + frames]
    return numpy.pad(heard, (0, frames - len(heard)))


def straightened(segment, recording, found, rate):
    """The segment as it was heard, less the changes of its delay from second to second."""
    slack = int(SLACK_SECONDS * rate)
    heard = []
    for start in range(0, len(segment), rate):
        second = segment[start : start + rate]
        first, correlation = place(second, recording, found + start - slack, found + start + slack)
        heard.append(excerpt(recording, first if correlation > 0.5 else found + start, len(second)))
    return numpy.concatenate(heard)


def score(segment, recording, found, rate):
    """PESQ, or None, and STOI of one segment."""
    wanted = resample_poly(segment, SCORE_RATE, rate)
    heard = resample_poly(excerpt(recording, found, len(segment)), SCORE_RATE, rate)
    straight = resample_poly(straightened(segment, recording, found, rate), SCORE_RATE, rate)
    try:
        quality = float(pesq(SCORE_RATE, wanted, heard, "wb"))
    except (PesqError, ValueError):
        # The latter: of silence, its level is no number.
        quality = None
    return quality, float(stoi(wanted, straight, SCORE_RATE))


def scores(job, reference, recording):
    """Scores of all segments of one recording."""
    rate, frames = job["rate"], job["frames"]
    sound = numpy.fromfile(recording["path"], dtype=numpy.float32)
    result = []
    for start, expected in zip(job["starts"], recording["expected"]):
        segment = reference[start : start + frames]
        earliest = int(expected - EARLIER_SECONDS * rate)
        found, correlation = place(segment, sound, earliest, int(expected + LATER_SECONDS * rate))
        quality, intelligibility = score(segment, sound, found, rate)
        result.append(
            {
                "pesq": quality,
                "stoi": intelligibility,
                "correlation": correlation,
                "lagMilliseconds": (found - expected) * 1000 / rate,
            }
        )
    return result


def main():
    job = json.load(sys.stdin)
    reference = numpy.fromfile(job["reference"], dtype=numpy.float32)
    json.dump([scores(job, reference, recording) for recording in job["recordings"]], sys.stdout)


if __name__ == "__main__":
    main()
