"""Writes trained weights, of several files their mean, as Swift: export.py WEIGHTS... > Sources/Voice/SpeechWeights.swift."""

import base64
import sys

import numpy

SCALE = 4096
ORDER = ["in", "in0", "x", "x0", "h", "h0", "out", "out0"]


def swift(name, learned, folder, network, values):
    """Prints a file of weights."""
    whole = numpy.clip(numpy.round(values * SCALE), -32768, 32767).astype("<i2")
    text = base64.b64encode(whole.tobytes()).decode()
    print("/// What %s learned: 16 bits a weight, 1/%d each, written by export.py." % (learned, SCALE))
    print("///\n/// Trained by `Tests/Quality/%s/train.py`; licence of the material: see `packages.txt` there." % folder)
    print("enum %s {" % name)
    print("  private static let scale: Float = 1 / %d" % SCALE)
    print('  private static let digits: StaticString = """')
    for start in range(0, len(text), 92):
        end = "" if start + 92 >= len(text) else "\\"
        print("    " + text[start : start + 92] + end)
    print('    """')
    print("\n  /// All weights, in the order of ``%s``." % network)
    print("  static func values() -> [Float] { PackedWeights.values(digits, scale: scale) }\n}")


def main():
    files = [numpy.load(path) for path in sys.argv[1:]]
    values = numpy.mean([numpy.concatenate([file[name].reshape(-1) for name in ORDER]) for file in files], axis=0)
    swift("SpeechWeights", "the detector of speech", "detector", "SpeechNetwork", values)


if __name__ == "__main__":
    main()
