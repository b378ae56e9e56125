import Foundation

/// RIFF/WAVE files: PCM of 16, 24 or 32 bits and 32-bit float in, any of two out.
public enum WAV {
  /// How samples are written.
  public enum Encoding: Sendable, CaseIterable {
    /// Signed 16-bit integers, which everything plays; louder than full scale is clipped.
    case pcm16
    /// 32-bit floats, bit exact.
    case float32
  }

  private static let pcmTag = 1
  private static let floatTag = 3
  /// WAVE_FORMAT_EXTENSIBLE: the real tag is the first two bytes of the sub-format.
  private static let extensibleTag = 0xfffe

  /// Reads a file with any number of channels and any rate.
  ///
  /// - Throws: `RigError.sound`.
  public static func read(_ path: String) throws(RigError) -> Sound {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .sound(path: path, reason: "cannot be read")
    }
    do { return try decode([UInt8](data)) } catch {
      throw .sound(path: path, reason: error.reason)
    }
  }

  /// Writes a file, replacing one there.
  ///
  /// - Throws: `RigError.sound`.
  public static func write(
    _ sound: Sound, to path: String, encoding: Encoding = .pcm16
  ) throws(RigError) {
    guard FileManager.default.createFile(atPath: path, contents: Data(encode(sound, encoding)))
    else { throw .sound(path: path, reason: "cannot be written") }
  }

  /// Why bytes are not a usable WAVE file.
  public struct FormatError: Error, Equatable {
    /// In words.
    public var reason: String
  }

  /// Decodes a whole file.
  public static func decode(_ bytes: [UInt8]) throws(FormatError) -> Sound {
    guard bytes.count >= 12, tag(bytes, 0) == "RIFF", tag(bytes, 8) == "WAVE" else {
      throw FormatError(reason: "not a RIFF/WAVE file")
    }
    var format: Format?
    var offset = 12
    while offset + 8 <= bytes.count {
      let size = integer(bytes, offset + 4, 4)
      let body = offset + 8
      if tag(bytes, offset) == "fmt " { format = try Format(bytes, body, size) }
      if tag(bytes, offset) == "data" {
        guard let format else { throw FormatError(reason: "data before its format") }
        // A size of all ones comes from programs that write to a pipe.
        return format.samples(bytes[body..<min(body + size, bytes.count)])
      }
      offset = body + size + size % 2
    }
    throw FormatError(reason: "no data chunk")
  }

  /// Encodes a whole file.
  public static func encode(_ sound: Sound, _ encoding: Encoding) -> [UInt8] {
    let sampleBytes = encoding == .pcm16 ? 2 : 4
    let frameBytes = sampleBytes * sound.channels.count
    let dataBytes = frameBytes * sound.frames
    var bytes = Array("RIFF".utf8) + little(36 + dataBytes, 4) + Array("WAVEfmt ".utf8)
    bytes += little(16, 4) + little(encoding == .pcm16 ? pcmTag : floatTag, 2)
    bytes += little(sound.channels.count, 2) + little(sound.sampleRate, 4)
    bytes += little(sound.sampleRate * frameBytes, 4) + little(frameBytes, 2)
    bytes += little(sampleBytes * 8, 2) + Array("data".utf8) + little(dataBytes, 4)
    bytes.reserveCapacity(bytes.count + dataBytes)
    for frame in 0..<sound.frames {
      for channel in sound.channels {
        switch encoding {
        case .pcm16:
          let value = Int16(max(-32768, min(32767, (channel[frame] * 32768).rounded())))
          bytes += little(Int(UInt16(bitPattern: value)), 2)
        case .float32: bytes += little(Int(channel[frame].bitPattern), 4)
        }
      }
    }
    return bytes
  }

  private struct Format {
    var isFloat: Bool
    var channels: Int
    var sampleRate: Int
    var sampleBytes: Int

    init(_ bytes: [UInt8], _ offset: Int, _ size: Int) throws(FormatError) {
      guard size >= 16, offset + size <= bytes.count else {
        throw FormatError(reason: "format chunk too short")
      }
      var kind = integer(bytes, offset, 2)
      if kind == extensibleTag && size >= 26 { kind = integer(bytes, offset + 24, 2) }
      channels = integer(bytes, offset + 2, 2)
      sampleRate = integer(bytes, offset + 4, 4)
      sampleBytes = integer(bytes, offset + 14, 2) / 8
      isFloat = kind == floatTag
      let isKnown = isFloat ? sampleBytes == 4 : kind == pcmTag && (2...4).contains(sampleBytes)
      guard isKnown, channels > 0, sampleRate > 0 else {
        throw FormatError(reason: "format \(kind) with \(sampleBytes * 8) bits is not supported")
      }
    }

    func samples(_ data: ArraySlice<UInt8>) -> Sound {
      let frames = data.count / (sampleBytes * channels)
      var result = [[Float]](repeating: [Float](repeating: 0, count: frames), count: channels)
      for frame in 0..<frames {
        for channel in 0..<channels {
          let offset = data.startIndex + (frame * channels + channel) * sampleBytes
          result[channel][frame] = sample(data, offset)
        }
      }
      return Sound(channels: result, sampleRate: sampleRate)
    }

    private func sample(_ data: ArraySlice<UInt8>, _ offset: Int) -> Float {
      var bits: UInt32 = 0
      for index in 0..<sampleBytes {
        bits |= UInt32(data[offset + index]) << UInt32(8 * (4 - sampleBytes + index))
      }
      return isFloat ? Float(bitPattern: bits) : Float(Int32(bitPattern: bits)) / 2_147_483_648
    }
  }

  private static func tag(_ bytes: [UInt8], _ offset: Int) -> String {
    String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
  }

  private static func integer(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
