internal import Audio
import Glibc
internal import System

/// Why JACK, or the plugin in it, does not take us, in words.
extension JackSessionLoop {
  static let versionProblem =
    "it is of another version: restart jackd, which keeps the old plugin in its memory"
  static let rateProblem =
    "runs at a sample rate beyond \(PeriodTime.rates.lowerBound)…\(PeriodTime.rates.upperBound) Hz: "
    + "start it at another rate, best jackd … -r 48000"

  func refusal(_ code: Int32) -> JackSessionEvent {
    let server = configuration.serverName
    let client = configuration.clientName
    switch code {
    case -ENOENT:
      return .waiting(server: server)
    case -EEXIST:
      return .refused(
        server: server,
        reason: "JACK client name '\(client)' is in use on server '\(server)': "
          + "stop the program that has it, or choose another name with --jack-client")
    case -ERANGE:
      return .refused(server: server, reason: "JACK server '\(server)' \(Self.rateProblem)")
    default:
      let messages = engine.takeMessages()
      return .refused(
        server: server,
        reason: "JACK server '\(server)' refused client '\(client)': "
          + (messages.isEmpty ? errorWords(code) : messages))
    }
  }

  /// Where jackd's server is missing, another may be there that we do not find.
  mutating func lookForPipeWire() {
    guard !isPipeWireTold, JackImplementation.ofThisProcess.kind == .jackd,
      let socket = PipeWireSocket.ofThisProcess()
    else { return }
    isPipeWireTold = true
    report(.pipeWireBeside(socket: socket.path))
  }

  func pluginRefusal(_ code: Int32, path: String) -> JackSessionEvent {
    let reason =
      switch code {
      case -EPERM:
        "it belongs to another user: run jackd and comlinkd as the same user"
      case -EBUSY:
        "another comlinkd uses it: stop that one"
      case -EPROTONOSUPPORT:
        Self.versionProblem
      case -ETIMEDOUT:
        "it does not respond: jackd is stopped or hangs; restart it"
      case -EINVAL:
        "it is not loaded as '\(configuration.clientName)': give its name with --jack-client"
      case -ERANGE:
        "jackd \(Self.rateProblem)"
      case -EPROTO:
        "it does not speak comlink's plugin protocol: restart jackd, or load another comlink.so"
      default:
        errorWords(code)
      }
    let server = configuration.serverName
    return code == -ENOENT
      ? .waitingForPlugin(server: server, path: path)
      : .refused(server: server, reason: "the plugin in jackd, at \(path), refused: \(reason)")
  }
}
