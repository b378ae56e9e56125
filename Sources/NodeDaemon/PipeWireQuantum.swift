internal import Glibc

/// The period that PipeWire is asked for (its quantum): where nobody asks it runs 1024 frames, each way 21 ms.
///
/// libjack of PipeWire reads the wish from the environment when it opens a client, and PipeWire runs the shortest of
/// all clients' periods. jackd's libjack does not look at it.
enum PipeWireQuantum {
  private static let wish = "PIPEWIRE_LATENCY"
  /// By which a user has said it himself: a wish, an order (`pw-jack -p`), and any property.
  private static let usersOwn = [wish, "PIPEWIRE_QUANTUM"]
  private static let properties = "PIPEWIRE_PROPS"

  /// The variable's value; nil: the user has said it.
  static func wish(frames: Int, environment: [String: String]) -> String? {
    let isSaid =
      usersOwn.contains { !(environment[$0] ?? "").isEmpty }
      || ["node.latency", "node.force-quantum"].contains {
        environment[properties]?.contains($0) == true
      }
    return isSaid ? nil : "\(frames)/48000"
  }

  /// Sets the variable, unless the user has said it.
  ///
  /// Only before the process has a second thread.
  static func ask(frames: Int, environment: [String: String]) {
    guard let wish = wish(frames: frames, environment: environment) else { return }
    unsafe setenv(Self.wish, wish, 1)
  }
}
