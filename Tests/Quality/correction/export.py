"""Writes trained weights as Swift: export.py WEIGHTS.npz FOLDER writes MaskWeights.swift there, and the rest beside it.

Weights have 8 bits each, biases 16, in units of a layer of its own; so does quantised() for what is judged beforehand.
"""

import base64
import pathlib
import sys

import numpy

ORDER = ("dense", "dense0", "given", "given0", "own", "own0", "out", "skip", "out0")
COLUMNS = 95
# Octets a file, whole groups of base 64; and what the files after the first are called.
PART, NAMES = 33000, ("second", "third", "fourth")


def whole(layer):
    """A layer in whole numbers, and their unit."""
    most = 127 if layer.ndim == 2 else 32767
    unit = numpy.float32(numpy.abs(layer).max() / most)
    numbers = numpy.round(layer / unit)
    return numbers.reshape(-1).astype("<i1" if layer.ndim == 2 else "<i2"), unit


def quantised(layers):
    return [whole(layer)[0].astype(numpy.float32).reshape(layer.shape) * whole(layer)[1] for layer in layers]


def digits(text):
    lines = [text[start : start + COLUMNS] for start in range(0, len(text), COLUMNS)]
    return "\\\n".join("    " + line for line in lines)


def main():
    file, folder = numpy.load(sys.argv[1]), pathlib.Path(sys.argv[2])
    layers = [whole(file[name]) for name in ORDER]
    octets = b"".join(numbers.tobytes() for numbers, _ in layers)
    parts = [base64.b64encode(octets[start : start + PART]).decode() for start in range(0, len(octets), PART)]
    names = NAMES[: len(parts) - 1]
    if len(parts) > len(names) + 1:
        sys.exit(f"{len(parts)} files are needed: name more in NAMES")
    for path in folder.glob("MaskWeights+*.swift"):
        path.unlink()
    rows = ",\n".join(f"    ({len(numbers)}, {numbers.itemsize}, {unit:.9g})" for numbers, unit in layers)
    (folder / "MaskWeights.swift").write_text(f'''/// What the network behind RNNoise learned, written by export.py.
///
/// Trained by `Tests/Quality/correction/train.py`; licence of the material: see `packages.txt` there.
enum MaskWeights {{
  /// Of each layer how many weights it has, the octets of each, and what they count.
  static let layers: [(count: Int, octets: Int, unit: Float)] = [
{rows},
  ]
  static let digits: StaticString = """
{digits(parts[0])}
    """

  /// All weights, layer by layer, in whole numbers.
  static func values() -> [[Int16]] {{
    PackedWeights.layers([{", ".join(["digits", *names])}], layers)
  }}
}}
''')
    for name, part in zip(names, parts[1:], strict=True):
        (folder / f"MaskWeights+{name.title()}.swift").write_text(f'''extension MaskWeights {{
  /// The {name} part of them.
  static let {name}: StaticString = """
{digits(part)}
    """
}}
''')


if __name__ == "__main__":
    main()
