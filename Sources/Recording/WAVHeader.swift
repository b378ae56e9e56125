/// The beginning of a WAV file, which always has the same length.
///
/// Below 4 GiB it is RIFF WAVE with a chunk `JUNK` that holds the place of the `ds64` chunk; from there on RF64, with
/// sizes of 64 bits in it (EBU Tech 3306 §3).
struct WAVHeader: Equatable {
  static let byteCount = 80
  static let bytesPerSample = 3
  private static let formatPCM: UInt16 = 1
  private static let sizeChunkBytes: UInt32 = 28
  private static let formatChunkBytes: UInt32 = 16

  var channels: Int
  var sampleRate: Int
  /// Bytes of sound in the file.
  var dataBytes: Int

  /// Chunks have an even length; the pad byte is not counted in its own chunk.
  var paddingBytes: Int { dataBytes & 1 }

  /// The header as it stands in the file.
  var bytes: [UInt8] {
    let riffBytes = Self.byteCount - 8 + dataBytes + paddingBytes
    let isLarge = riffBytes > Int(UInt32.max)
    let blockBytes = channels * Self.bytesPerSample
    var bytes: [UInt8] = []
    bytes.append(tag: isLarge ? "RF64" : "RIFF")
    bytes.append(isLarge ? UInt32.max : UInt32(riffBytes))
    bytes.append(tag: "WAVE")
    bytes.append(tag: isLarge ? "ds64" : "JUNK")
    bytes.append(Self.sizeChunkBytes)
    bytes.append(UInt64(isLarge ? riffBytes : 0))
    bytes.append(UInt64(isLarge ? dataBytes : 0))
    bytes.append(UInt64(isLarge ? dataBytes / blockBytes : 0))
    bytes.append(UInt32(0))
    bytes.append(tag: "fmt ")
    bytes.append(Self.formatChunkBytes)
    bytes.append(Self.formatPCM)
    bytes.append(UInt16(clamping: channels))
    bytes.append(UInt32(clamping: sampleRate))
    bytes.append(UInt32(clamping: sampleRate * blockBytes))
    bytes.append(UInt16(clamping: blockBytes))
    bytes.append(UInt16(8 * Self.bytesPerSample))
    bytes.append(tag: "data")
    bytes.append(isLarge ? UInt32.max : UInt32(dataBytes))
    return bytes
  }
}

extension [UInt8] {
  /// Adds a number, its lowest byte first.
  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  /// Adds the letters of a chunk's or packet's name.
  mutating func append(tag: String) { append(contentsOf: tag.utf8) }
}
