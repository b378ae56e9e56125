/// What happens to a JACK server we start, each reported once when it happens.
public enum JackServerEvent: Hashable, Sendable {
  /// jackd was started, with these arguments.
  case started(processIdentifier: Int32, arguments: [String])
  /// A server of that name runs that is not ours; told once, and another one started when it ends.
  case alreadyRunning(server: String)
  /// No jackd is there to start; looked for again each 10 s.
  case notInstalled
  /// jackd ended by itself, with the last lines it wrote; started again after the delay.
  case ended(reason: String, output: String, retryMilliseconds: Int)
  /// The operating system did not start it; tried again after the delay.
  case failed(reason: String, retryMilliseconds: Int)
  /// `JackServerLauncher.stop()` ended it.
  case stopped
}
