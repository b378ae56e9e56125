internal import NIOCore

/// What a pairing connection holds on the event loop.
struct PairingState {
  /// Frames that nobody has taken yet.
  var frames: [[UInt8]] = []
  /// Who waits for one.
  var waiting: (@Sendable (Result<[UInt8], ControlPlaneError>) -> Void)?
  var timer: Scheduled<Void>?
  /// Why no more come.
  var end: ControlPlaneError?
  /// Whether it has one of the places for pairings that others opened.
  var hasPlace = false
  var cutter: PairingFrames

  init(maximumBytes: Int) { cutter = PairingFrames(maximumBytes: maximumBytes) }
}
