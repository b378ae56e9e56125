extension JackServerEvent: CustomStringConvertible {
  /// One line for a log.
  public var description: String {
    switch self {
    case .started(let identifier, let arguments):
      "started jackd \(arguments.joined(separator: " ")) (process \(identifier))"
    case .alreadyRunning(let server):
      "--start-jack: JACK server '\(server)' runs already; one is started when it ends"
    case .notInstalled:
      "--start-jack: jackd is not installed; install it: sudo apt-get install jackd2"
    case .ended(let reason, let output, let retryMilliseconds):
      "jackd ended (\(reason)); trying again in \(retryMilliseconds) ms; it wrote: \(output)"
    case .failed(let reason, let retryMilliseconds):
      "jackd did not start: \(reason); trying again in \(retryMilliseconds) ms"
    case .stopped:
      "ended jackd"
    }
  }
}
