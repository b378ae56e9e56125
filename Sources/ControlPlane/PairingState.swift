internal import NIOCore

/// What a pairing connection holds on the event loop.
struct PairingState {
  /// Who waits for one.
  var waiting: (@Sendable (Result<[UInt8], ControlPlaneError>) -> Void)?
  var timer: Scheduled<Void>?
  /// Why no more come.
  var end: ControlPlaneError?
  /// Whether it has one of the places for pairings that others opened.
  var hasPlace = false
  /// What came and nobody has taken yet.
  var cutter: PairingFrames

  init(maximumBytes: Int) { cutter = PairingFrames(maximumBytes: maximumBytes) }
}
