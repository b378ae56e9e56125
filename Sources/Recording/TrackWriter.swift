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
