/// A sound as in a WAV file: bytes in, one channel of samples out, and back.
public struct WaveSound: Sendable, Hashable {
  /// Frames a second.
  public var sampleRate: Int
  /// Full scale is 1.
  public var samples: [Float]

  /// Why bytes are no sound, in words.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String
  }

  /// The rates that the chain can be made for.
  public static let rates = 8000...192_000
  private enum Format {
    static let (whole, float, extensible): (UInt16, UInt16, UInt16) = (1, 3, 0xFFFE)
  }

  /// A sound of these samples.
  public init(sampleRate: Int, samples: [Float]) {
    (self.sampleRate, self.samples) = (sampleRate, samples)
  }

  /// Reads a WAV file of 16, 24 or 32-bit integers or 32-bit floats.
  ///
  /// - Parameter channel: which one it takes, 0 is the first, the last one if there are not as many; nil: their mean.
  public init(wave bytes: [UInt8], channel: Int? = nil) throws(Problem) {
    guard bytes.count >= 12, Self.text(bytes, 0) == "RIFF", Self.text(bytes, 8) == "WAVE" else {
      throw Problem(description: "is no WAV file; convert it: ffmpeg -i FILE OUT.wav")
    }
    var layout: Layout?
    var place = 12
    while place + 8 <= bytes.count {
      let name = Self.text(bytes, place)
      let size = min(Int(Self.number(bytes, place + 4, bytes: 4)), bytes.count - place - 8)
      let body = place + 8..<place + 8 + size
      if name == "fmt " { layout = try Layout(bytes[body]) }
      if name == "data" {
        guard let layout else { break }
        self.init(sampleRate: layout.sampleRate, samples: layout.samples(bytes[body], channel))
        return
      }
      place = body.upperBound + size % 2
    }
    throw Problem(description: "is a WAV file without sound; make it again")
  }

  /// The file with 16-bit samples; what is beyond full scale is clipped.
  public func wave() -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let size = 2 * samples.count
    var bytes = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8)
    bytes += little(16, 4) + little(1, 2) + little(1, 2) + little(sampleRate, 4)
    bytes += little(2 * sampleRate, 4) + little(2, 2) + little(16, 2)
    bytes += Array("data".utf8) + little(size, 4)
    bytes.reserveCapacity(bytes.count + size)
    for sample in samples {
      let whole = Int(max(-32_768, min(32_767, (sample * 32_768).rounded())))
      bytes.append(UInt8(truncatingIfNeeded: whole))
      bytes.append(UInt8(truncatingIfNeeded: whole >> 8))
    }
    return bytes
  }

  /// What the chain makes of the sound, in its time: the delay is taken out again.
  ///
  /// - Parameters:
  ///   - left: what the left loudspeaker plays meanwhile; where it ends there is silence.
  ///   - right: the right one's.
  public func treated(
    _ settings: VoiceSettings, left: [Float] = [], right: [Float] = []
  ) -> (sound: WaveSound, problem: String?) {
    let frameFrames = max(1, sampleRate / 100)
    let chain = VoiceChain(
      settings, format: VoiceFormat(sampleRate: sampleRate, frameFrames: frameFrames))
    let delay = chain.delayFrames
    var treated = samples + [Float](repeating: 0, count: delay)
    func played(_ channel: [Float]) -> [Float] {
      channel.prefix(treated.count)
        + [Float](repeating: 0, count: max(0, treated.count - channel.count))
    }
    let (left, right) = (played(left), played(right))
    var start = 0
    while start < treated.count {
      let end = min(start + frameFrames, treated.count)
      var all = treated.mutableSpan
      var frame = all._mutatingExtracting(start..<end)
      chain.process(
        &frame, left: left.span.extracting(start..<end),
        right: right.span.extracting(start..<end))
      start = end
    }
    return (
      WaveSound(sampleRate: sampleRate, samples: Array(treated.dropFirst(delay))), chain.problem
    )
  }

  private struct Layout {
    let (format, channels, sampleRate, bits): (UInt16, Int, Int, Int)

    init(_ bytes: ArraySlice<UInt8>) throws(Problem) {
      guard bytes.count >= 16 else {
        throw Problem(description: "is a broken WAV file; make it again")
      }
      let start = bytes.startIndex
      var format = UInt16(WaveSound.number(bytes, start, bytes: 2))
      if format == Format.extensible, bytes.count >= 26 {
        format = UInt16(WaveSound.number(bytes, start + 24, bytes: 2))
      }
      self.format = format
      channels = Int(WaveSound.number(bytes, start + 2, bytes: 2))
      sampleRate = Int(WaveSound.number(bytes, start + 4, bytes: 4))
      bits = Int(WaveSound.number(bytes, start + 14, bytes: 2))
      let isWhole = format == Format.whole && [16, 24, 32].contains(bits)
      guard isWhole || format == Format.float && bits == 32, channels > 0 else {
        let advice = "convert it: ffmpeg -i FILE -c:a pcm_s16le OUT.wav"
        throw Problem(description: "has another kind of samples; \(advice)")
      }
      guard WaveSound.rates.contains(sampleRate) else {
        throw Problem(
          description: "has \(sampleRate) Hz; convert it: ffmpeg -i FILE -ar 48000 OUT.wav")
      }
    }

    func samples(_ bytes: ArraySlice<UInt8>, _ channel: Int?) -> [Float] {
      let width = bits / 8
      let taken = channel.map { min($0, channels - 1)..<min($0, channels - 1) + 1 } ?? 0..<channels
      return stride(
        from: bytes.startIndex, through: bytes.endIndex - width * channels, by: width * channels
      ).map { place in
        let sum = taken.reduce(Float(0)) { $0 + sample(bytes, place + $1 * width) }
        return sum / Float(taken.count)
      }
    }

    private func sample(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Float {
      let raw = WaveSound.number(bytes, place, bytes: bits / 8) << (32 - UInt32(bits))
      return format == Format.float
        ? Float(bitPattern: raw) : Float(Int32(bitPattern: raw)) / 2_147_483_648
    }
  }

  private static func text(_ bytes: [UInt8], _ place: Int) -> String {
    String(decoding: bytes[place..<min(place + 4, bytes.count)], as: UTF8.self)
  }

  private static func number<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes, _ place: Int, bytes count: Int
  ) -> UInt32 where Bytes.Index == Int {
    (0..<count).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
  }
}
