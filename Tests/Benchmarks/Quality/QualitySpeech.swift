import TestRig

/// What is said: a little to settle on, then the pieces that are judged.
struct QualitySpeech {
  /// The playout delay is to settle, and the first reports are to arrive.
  private static let leadSeconds = 6

  /// Everything in order, 48 kHz.
  let samples: [Float]
  /// Where the judged pieces begin.
  let starts: [Int]
  /// Frames of each piece.
  let pieceFrames: Int

  /// At most so many pieces of 8 s.
  init(pieces count: Int, in directory: TemporaryDirectory) throws(RigError) {
    let pieces = Array(try Speech.talkers(in: directory).prefix(count))
    let lead = Self.leadSeconds * Speech.sampleRate
    pieceFrames = pieces.first?.count ?? 0
    let first = pieceFrames
    starts = pieces.indices.map { lead + $0 * first }
    samples = Speech.lasting(Double(Self.leadSeconds), try Speech.announcements()) + pieces.joined()
  }

  /// Where in the recording the judged pieces are if they took no time from port to port.
  func places(playedBy mouth: Probe, recordedBy ear: Probe) -> [Int] {
    let (played, recorded) = (mouth.playedTimeLine, ear.recordedTimeLine)
    return starts.map { start in
      played.nanoseconds(at: Double(start)).flatMap { recorded.position(at: $0) }.map { Int($0) }
        ?? start
    }
  }

  /// When what is judged begins and ends, from the start.
  var judgedSeconds: (begin: Double, end: Double) {
    (Double(starts.first ?? 0) / 48_000, Double(samples.count) / 48_000)
  }
}
