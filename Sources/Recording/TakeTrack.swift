internal import Audio

/// One file of a take: brings what is on its tapes to the file's rate and writes it.
///
/// One thread at a time. However often JACK's rate changes, as many frames reach the file as make the time that passed,
/// so that all files of a take go on together.
final class TakeTrack {
  /// Frames that are written at once, at most.
  static let chunkFrames = 1024

  /// Name of its talker.
  let name: String
  private let tapes: [SoundTape]
  private let writer: any TrackWriter
  private let fileRate: Int
  private var converter: RateConverter
  private var channel = [Float](repeating: 0, count: TakeTrack.chunkFrames)
  private var pcm: [Float]
  private var converted: [Float] = []

  /// A track of tapes at `sampleRate` into a file at `fileRate`, in hertz.
  init(
    _ name: String, tapes: [SoundTape], writer: any TrackWriter, sampleRate: Int, fileRate: Int
  ) throws(RecordingError) {
    self.name = name
    self.tapes = tapes
    self.writer = writer
    self.fileRate = fileRate
    converter = try Self.converter(tapes.count, sampleRate, fileRate)
    pcm = [Float](repeating: 0, count: tapes.count * Self.chunkFrames)
  }

  /// One, or two of the mix.
  var channels: Int { tapes.count }
  /// The file's bytes so far.
  var byteCount: Int { writer.byteCount }

  /// Writes silence for the time before this talker joined.
  ///
  /// - Parameters:
  ///   - fileFrames: of the file, up to the last break.
  ///   - frames: at JACK's rate since.
  ///   - room: throws where so many bytes are too many.
  func begin(
    after fileFrames: Int, _ frames: Int, room: (Int) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    let silence = fileFrames + converter.skip(frames: frames)
    try room(writer.silenceByteCount(frames: silence))
    try writer.writeSilence(frames: silence)
  }

  /// Writes frames from the tapes; up to ``chunkFrames``.
  func write(from position: Int64, count: Int) throws(RecordingError) {
    for (side, tape) in tapes.enumerated() {
      Self.take(tape, position, count, into: &channel)
      for index in 0..<count { pcm[tapes.count * index + side] = channel[index] }
    }
    let sampleCount = tapes.count * count
    converted.removeAll(keepingCapacity: true)
    let pcm = pcm
    converter.convert(pcm.span.extracting(..<sampleCount), onto: &converted)
    let written = converted
    try writer.write(written.span)
  }

  /// Leaves frames on the tapes out; up to ``chunkFrames``.
  func skip(from position: Int64, count: Int) {
    for tape in tapes { Self.take(tape, position, count, into: &channel) }
  }

  /// Completes what was before a break, and goes on after so much silence with sound at that rate.
  func passBreak(silentFrames: Int, sampleRate: Int) throws(RecordingError) {
    try flush()
    try writer.writeSilence(frames: silentFrames)
    converter = try Self.converter(tapes.count, sampleRate, fileRate)
  }

  /// About what that many silent frames add, in bytes.
  func silenceByteCount(frames: Int) -> Int { writer.silenceByteCount(frames: frames) }

  /// Makes all of it readable, and waits until it is on the disk.
  func save() throws(RecordingError) { try writer.save() }

  /// Writes the end.
  func finish() throws(RecordingError) {
    try flush()
    try writer.finish()
  }

  private func flush() throws(RecordingError) {
    converted.removeAll(keepingCapacity: true)
    converter.finish(onto: &converted)
    let written = converted
    try writer.write(written.span)
  }

  private static func take(
    _ tape: SoundTape, _ position: Int64, _ count: Int, into channel: inout [Float]
  ) {
    var room = channel.mutableSpan
    var frames = room._mutatingExtracting(..<count)
    tape.take(at: position, into: &frames)
  }

  private static func converter(
    _ channels: Int, _ sampleRate: Int, _ fileRate: Int
  ) throws(RecordingError) -> RateConverter {
    do throws(AudioError) {
      return try RateConverter(channels: channels, sampleRate: sampleRate, fileRate: fileRate)
    } catch {
      throw .audio(error)
    }
  }
}

/// A file of a take that could not be made, or not be written any further, while the others go on.
public struct TrackFailure: Hashable, Sendable {
  /// Whose sound it was to have.
  public var name: String
  /// Why.
  public var error: RecordingError
}

/// One file of a take while it is written.
///
/// One thread at a time. All that throws leaves a file that can be read up to the last ``save()``, as does a crash.
protocol TrackWriter: AnyObject {
  /// The file's bytes so far.
  var byteCount: Int { get }
  /// About what ``writeSilence(frames:)`` adds, in bytes.
  func silenceByteCount(frames: Int) -> Int
  /// Adds silence, in little time however long it is.
  func writeSilence(frames: Int) throws(RecordingError)
  /// Adds frames at the file's rate, full scale ±1; of two channels interleaved, left first.
  func write(_ pcm: Span<Float>) throws(RecordingError)
  /// Makes all of it readable, and waits until it is on the disk.
  func save() throws(RecordingError)
  /// Writes the end.
  func finish() throws(RecordingError)
}
