internal import Audio

/// A voice message that is complete: a file of its own.
public struct Clip: Hashable, Sendable {
  /// Ogg Opus (RFC 7845), 48 kHz, mono.
  public let file: [UInt8]
  /// How long it sounds.
  public let milliseconds: Int
  /// The waveform: the greatest level of parts of equal length, 0 to 255 of full scale; at most 1000.
  public let peaks: [UInt8]
}

/// Makes a voice message of sound as it comes.
///
/// One thread at a time. About 4 kB a second are held in memory.
public final class ClipWriter {
  private let output = MemoryOutput()
  private let track: OpusTrack
  private var rate: Int
  private var converter: RateConverter
  private var converted: [Float] = []
  private var frames = 0
  private var waveform = Waveform()

  /// Begins one.
  ///
  /// - Parameter sampleRate: of what is written first, hertz.
  public convenience init(sampleRate: Int, vendor: String) throws(ClipError) {
    try self.init(sampleRate: sampleRate, vendor: vendor, comments: [])
  }

  /// - Parameter comments: what stands in the file beside the sound.
  init(sampleRate: Int, vendor: String, comments: [String]) throws(ClipError) {
    rate = sampleRate
    do throws(RecordingError) {
      converter = try Self.converter(sampleRate)
      track = try OpusTrack(
        output, channels: 1, inputRate: sampleRate, serial: UInt32.random(in: 0 ... .max),
        vendor: vendor, comments: comments, bitsPerSecond: ClipLimits.bitsPerSecond)
    } catch {
      throw .audio(words: "\(error)")
    }
  }

  private static func converter(_ sampleRate: Int) throws(RecordingError) -> RateConverter {
    do throws(AudioError) {
      return try RateConverter(
        channels: 1, sampleRate: sampleRate, fileRate: ClipLimits.sampleRate)
    } catch {
      throw .audio(error)
    }
  }

  /// How long it sounds up to now.
  public var seconds: Double { Double(frames) / Double(ClipLimits.sampleRate) }

  /// The greatest level of the last tenth of a second, 0…1.
  public var level: Double { waveform.level }

  /// The waveform up to now, as ``Clip/peaks``.
  public var peaks: [UInt8] { waveform.peaks(atMost: ClipLimits.peaks) }

  /// Adds sound of one channel, full scale ±1; what is no number is silence.
  ///
  /// - Parameter sampleRate: hertz.
  /// - Throws: `tooLong`; what came before stays.
  public func write(_ pcm: [Float], sampleRate: Int) throws(ClipError) {
    do throws(RecordingError) {
      if sampleRate != rate {
        converter.finish(onto: &converted)
        converter = try Self.converter(sampleRate)
        rate = sampleRate
      }
      converter.convert(pcm.span, onto: &converted)
    } catch {
      throw .audio(words: "\(error)")
    }
    try add()
  }

  private func add() throws(ClipError) {
    let room = ClipLimits.seconds * ClipLimits.sampleRate - frames
    let isOver = converted.count > room
    if isOver { converted.removeLast(converted.count - room) }
    for index in converted.indices {
      let value = converted[index]
      converted[index] = value.isFinite ? min(1, max(-1, value)) : 0
    }
    waveform.add(converted)
    frames += converted.count
    let pcm = converted
    do throws(RecordingError) {
      try track.write(pcm.span)
    } catch {
      throw .audio(words: "\(error)")
    }
    converted.removeAll(keepingCapacity: true)
    if isOver { throw .tooLong }
  }

  /// Ends it.
  public func finish() throws(ClipError) -> Clip {
    converter.finish(onto: &converted)
    do throws(ClipError) {
      try add()
    } catch .tooLong {
      // The last few frames of a converter.
    }
    guard frames >= ClipLimits.sampleRate / 1000 else { throw .empty }
    do throws(RecordingError) {
      try track.finish()
    } catch {
      throw .audio(words: "\(error)")
    }
    guard output.bytes.count <= ClipLimits.fileBytes else {
      throw .tooLarge(byteCount: output.bytes.count)
    }
    return Clip(
      file: output.bytes, milliseconds: frames * 1000 / ClipLimits.sampleRate, peaks: peaks)
  }
}

/// The greatest levels of sound, hundred a second.
struct Waveform {
  private static let partFrames = ClipLimits.sampleRate / ClipLimits.peaksPerSecond

  private var parts: [UInt8] = []
  private var peak: Float = 0
  private var frames = 0

  mutating func add(_ pcm: [Float]) {
    for value in pcm {
      peak = max(peak, abs(value))
      frames += 1
      if frames == Self.partFrames { close() }
    }
  }

  private mutating func close() {
    parts.append(UInt8(min(255, (peak * 255).rounded())))
    (peak, frames) = (0, 0)
  }

  var level: Double {
    Double(parts.suffix(ClipLimits.peaksPerSecond / 10).max() ?? 0) / 255
  }

  /// Of so many parts of equal length at most, the last of which may be shorter.
  func peaks(atMost most: Int) -> [UInt8] {
    var all = parts
    if frames > 0 { all.append(UInt8(min(255, (peak * 255).rounded()))) }
    let each = max(1, (all.count + most - 1) / most)
    return stride(from: 0, to: all.count, by: each).map { start in
      all[start..<min(start + each, all.count)].max() ?? 0
    }
  }
}

/// A file in memory.
final class MemoryOutput: TrackOutput {
  let path = "a voice message"
  private(set) var bytes: [UInt8] = []
  var byteCount: Int { bytes.count }

  func append(_ bytes: [UInt8]) { self.bytes += bytes }

  func sync() {}
}
