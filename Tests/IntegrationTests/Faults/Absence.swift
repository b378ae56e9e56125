@testable import TestRig

/// What an ear heard of a note without end while the node that plays it was away; times are JACK's clock's.
struct Absence {
  /// Louder than any noise of a codec's.
  private static let audible: Float = 0.01
  /// A machine that stalls makes shorter ones.
  private static let gapNanoseconds: Int64 = 100_000_000

  /// From the node's end until the last that was heard of it; infinite: nothing was heard before.
  let endSeconds: Double
  /// From its return until it was heard for good, from then on for a second without a gap; infinite: never.
  let returnSeconds: Double
  /// How long nothing was heard in all.
  let silenceSeconds: Double
  /// Whether all samples were 0 from half a second after the end until the return, which is later.
  let isSilent: Bool
  /// How many frames JACK ran in the time from end to return, as a part of those that should be.
  let pace: Double

  /// Judges what a stopped ear has recorded.
  ///
  /// - Parameters:
  ///   - end: when the node was ended, or stopped.
  ///   - start: when it was started again, or went on.
  init(of ear: Probe, from end: Int64, until start: Int64) {
    let cycles = Self.cycles(of: ear)
    let last = cycles.last { $0.startNanoseconds < start && $0.isHeard }?.startNanoseconds
    let first = Self.beginning(of: cycles.filter(\.isHeard).map(\.startNanoseconds), from: start)
    endSeconds = last.map { Double($0 - end) / 1e9 } ?? .infinity
    returnSeconds = first.map { Double($0 - start) / 1e9 } ?? .infinity
    silenceSeconds = Double(start - end) / 1e9 - endSeconds + returnSeconds
    let quiet = cycles.filter {
      $0.startNanoseconds > end + 500_000_000 && $0.startNanoseconds < start
    }
    isSilent = !quiet.isEmpty && quiet.allSatisfy(\.isSilent)
    let away = cycles.filter { end..<start ~= $0.startNanoseconds }.reduce(0) { $0 + $1.frames }
    pace = Double(away) / (Double(start - end) / 1e9 * ear.sampleRate)
  }

  /// The first moment from which on there is one in each `gapNanoseconds` of a second.
  private static func beginning(of heard: [Int64], from start: Int64) -> Int64? {
    let heard = heard.filter { $0 >= start }
    var first = heard.first
    for (earlier, later) in zip(heard, heard.dropFirst()) {
      guard let begun = first, later - begun < 1_000_000_000 else { return first }
      if later - earlier > gapNanoseconds { first = later }
    }
    return nil
  }

  private struct Cycle {
    var startNanoseconds: Int64
    var frames: Int
    var isSilent: Bool
    /// Of a client that stands still JACK plays the last period again and again: that is not the note.
    var isHeard: Bool
  }

  private static func cycles(of ear: Probe) -> [Cycle] {
    let recording = ear.recording()
    var before: ArraySlice<Float> = []
    return ear.recordedTimeLine.cycles.map { cycle in
      let samples = recording.dropFirst(Int(cycle.position)).prefix(cycle.frames)
      defer { before = samples }
      let isAudible = samples.contains { abs($0) > audible }
      return Cycle(
        startNanoseconds: cycle.startNanoseconds, frames: cycle.frames,
        isSilent: samples.allSatisfy { $0 == 0 },
        isHeard: isAudible && !samples.elementsEqual(before))
    }
  }
}
