import TestRig

/// A program that carries a talk between two JACK servers, started once for a turn.
protocol Contestant {
  /// The word in the figures' names.
  static var name: String { get }
  /// Why it cannot take part here; nil when it can.
  static var absence: String? { get }

  /// Starts both ends and returns when their ports exist; `probes` are clients of the two servers.
  init(
    at places: (ContestantEnd, ContestantEnd), probes: (Probe, Probe),
    in directory: TemporaryDirectory
  ) throws(RigError)

  /// The process at the first end, whose CPU counts.
  var measured: ChildProcess { get }
  /// The full name of the port at each end that takes the microphone.
  var microphones: (String, String) { get }
  /// The full name of the port at each end that gives the other's voice.
  var voices: (String, String) { get }
  /// Ends all processes.
  func stop()
}
