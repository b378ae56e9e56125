/// Makes a dummy server keep time as a sound card does: see `Tests/Interposer/driver_clock.c`.
///
/// The stock driver slips by whole periods whenever the machine wakes it late.
public struct DriverClock: Sendable {
  /// What jackd must have in its environment.
  let environment: [String: String]

  /// Builds the library; clocks of one folder can share it.
  ///
  /// - Parameter driftPPM: how much longer than nominal its periods last.
  /// - Throws: `RigError`; `.missing` without a C compiler.
  public init(driftPPM: Double = 0, in directory: TemporaryDirectory) throws(RigError) {
    environment = [
      "LD_PRELOAD": try Interposer.build("driver_clock", in: directory),
      "COMLINK_DRIFT_PPM": "\(driftPPM)",
    ]
  }
}
