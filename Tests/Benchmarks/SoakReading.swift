import StatusSchema
import TestRig

/// A node of a soak run at a moment.
struct SoakReading {
  /// Its station's name.
  var name: String
  /// Of the process, which is another after a restart.
  var process: Int32
  /// Resident, with the pages of the program that it ran so far; and what of that it wrote, so that no file holds it.
  var residentMegabytes: Double
  var writtenMegabytes: Double
  var descriptors: Double
  /// Of its peers the longest.
  var playoutDelay: Double
  /// Frames made up, periods without sound and splices of all peers since an earlier look; NaN without one.
  var glitchesPerSecond = Double.nan
  private let glitches: Int
  private let nanoseconds = monotonicNanoseconds()

  /// Looks at a node.
  ///
  /// - Parameter earlier: a look at the same process.
  init(of node: NodeProcess, since earlier: SoakReading? = nil) throws(RigError) {
    (name, process) = (node.name, node.process.identifier)
    guard
      let resident = ProcessUsage.residentSetMegabytes(
        of: process, excluding: IdleMeasurement.jackMappings),
      let written = ProcessUsage.writtenMegabytes(
        of: process, excluding: IdleMeasurement.jackMappings),
      let descriptors = ProcessUsage.descriptorCount(of: process)
    else { throw .status(reason: "no figures of \(node.name)") }
    (residentMegabytes, writtenMegabytes) = (resident, written)
    self.descriptors = Double(descriptors)
    let peers = try node.status().peers
    playoutDelay = peers.map(\.playoutDelayMilliseconds).max() ?? 0
    glitches = peers.reduce(0) { $0 + $1.concealed + $1.underrun + $1.spliced }
    guard let earlier else { return }
    let elapsed = max(nanoseconds - earlier.nanoseconds, 1_000_000_000)
    // A peer that connects anew meanwhile counts from nothing.
    let more = max(0, glitches - earlier.glitches)
    glitchesPerSecond = Double(more) * 1e9 / Double(elapsed)
  }

  /// For a line that is watched.
  var words: String {
    "\(name) \(Figures.fixed(residentMegabytes, 2)) MB, \(Figures.fixed(writtenMegabytes, 2)) written, "
      + "\(Int(descriptors)) descriptors, "
      + "\(Figures.fixed(playoutDelay, 1)) ms, \(Figures.fixed(glitchesPerSecond, 1)) glitches/s"
  }
}
