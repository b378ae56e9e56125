/// A track as WAV, 24 bits.
///
/// Sound beyond full scale is clipped.
final class WAVTrack: TrackWriter {
  private let file: OutputFile
  private var header: WAVHeader
  private var coded: [UInt8] = []

  /// Begins the file.
  init(_ file: OutputFile, channels: Int, sampleRate: Int) throws(RecordingError) {
    self.file = file
    header = WAVHeader(channels: channels, sampleRate: sampleRate, dataBytes: 0)
    try file.append(header.bytes)
  }

  var byteCount: Int { file.byteCount }

  func silenceByteCount(frames: Int) -> Int {
    frames * header.channels * WAVHeader.bytesPerSample
  }

  func writeSilence(frames: Int) throws(RecordingError) {
    let byteCount = silenceByteCount(frames: frames)
    try file.appendHole(byteCount: byteCount)
    header.dataBytes += byteCount
  }

  func write(_ pcm: Span<Float>) throws(RecordingError) {
    coded.removeAll(keepingCapacity: true)
    for index in 0..<pcm.count {
      let value = Self.coded(pcm[index])
      coded.append(UInt8(truncatingIfNeeded: value))
      coded.append(UInt8(truncatingIfNeeded: value >> 8))
      coded.append(UInt8(truncatingIfNeeded: value >> 16))
    }
    try file.append(coded)
    header.dataBytes += coded.count
  }

  func save() throws(RecordingError) {
    try file.write()
    try file.overwriteStart(header.bytes)
    try file.sync()
  }

  func finish() throws(RecordingError) {
    try file.append([UInt8](repeating: 0, count: header.paddingBytes))
    try save()
  }

  /// A sample in 24 bits; what is no number is silence.
  private static func coded(_ sample: Float) -> Int32 {
    let scaled = (sample * 8_388_608).rounded()
    guard !scaled.isNaN else { return 0 }
    return Int32(min(max(scaled, -8_388_608), 8_388_607))
  }
}
