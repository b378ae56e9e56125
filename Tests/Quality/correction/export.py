"""Writes trained weights as Swift: export.py WEIGHTS.npz FOLDER writes MaskWeights.swift and MaskWeights+Rest.swift there.

Weights have 8 bits each, biases 16, in units of a layer of its own; so does quantised() for what is judged beforehand.
"""

import base64
import pathlib
import sys

import numpy

ORDER = ("dense", "dense0", "given", "given0", "own", "own0", "out", "skip", "out0")
COLUMNS = 95


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
    # Each half by itself is whole groups of base 64.
    half = len(octets) * 49 // 100 // 3 * 3
    first, rest = (base64.b64encode(part).decode() for part in (octets[:half], octets[half:]))
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
{digits(first)}
    """

  /// All weights, in the order of ``MaskNetwork``.
  static func values() -> [Float] {{ PackedWeights.values([digits, rest], layers: layers) }}
}}
''')
    (folder / "MaskWeights+Rest.swift").write_text(f'''extension MaskWeights {{
  /// The second half of them.
  static let rest: StaticString = """
{digits(rest)}
    """
}}
''')


if __name__ == "__main__":
    main()
