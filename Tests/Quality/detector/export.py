"""Writes trained weights, of several files their mean, as Swift: export.py WEIGHTS... > Sources/Voice/SpeechWeights.swift."""

import base64
import sys

import numpy

SCALE = 4096
ORDER = ["in", "in0", "x", "x0", "h", "h0", "out", "out0"]


def main():
    files = [numpy.load(path) for path in sys.argv[1:]]
    values = numpy.mean([numpy.concatenate([file[name].reshape(-1) for name in ORDER]) for file in files], axis=0)
    whole = numpy.clip(numpy.round(values * SCALE), -32768, 32767).astype("<i2")
    text = base64.b64encode(whole.tobytes()).decode()
    print("/// What the detector of speech learned: 16 bits a weight, 1/%d each, written by export.py." % SCALE)
    print("///\n/// Trained by `Tests/Quality/detector/train.py`; licence of the material: see `packages.txt` there.")
    print("enum SpeechWeights {")
    print("  private static let scale: Float = 1 / %d" % SCALE)
    print('  private static let digits: StaticString = """')
    for start in range(0, len(text), 92):
        end = "" if start + 92 >= len(text) else "\\"
        print("    " + text[start : start + 92] + end)
    print('    """')
    print("""
  /// All weights, in the order of ``SpeechNetwork``.
  static func values() -> [Float] {
    let bytes = decoded()
    return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let bits = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
      return Float(Int16(bitPattern: bits)) * scale
    }
  }

  /// The bytes that base 64 stands for (RFC 4648 §4).
  private static func decoded() -> [UInt8] {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for digit in digits.description.utf8 {
      guard let value = value(of: digit) else { continue }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}""")


if __name__ == "__main__":
    main()
