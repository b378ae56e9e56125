internal import Audio
internal import Glibc
internal import JackSession

/// What a JACK server is like for a client that looks in, where no daemon can be asked.
enum JackServerFacts: Hashable, Sendable {
  /// None of this user runs under that name.
  case missing(server: String)
  case running(server: String, sampleRate: Int, periodFrames: Int)
  /// It runs and takes no client, in words.
  case refused(reason: String)
  /// It is there and gives no answer.
  case silent(server: String)

  private static let client = "comlink-doctor"
  private static let patienceMilliseconds = 3000
  private static let pollMilliseconds = 10

  /// Looks in as a client of this user's server, for a moment; starts none.
  ///
  /// - Returns: nil when there is no memory to look.
  static func ofThisUser() -> JackServerFacts? {
    let configuration = JackSessionConfiguration(clientName: client, connectsPhysicalPorts: false)
    do throws(AudioError) {
      let session = try JackSession(
        engine: AudioEngine(wakeDescriptor: -1), configuration: configuration, onEvent: { _ in })
      try session.start()
      defer { session.stop() }
      for _ in 0..<(patienceMilliseconds / pollMilliseconds) {
        switch session.state {
        case .stopped: usleep(UInt32(pollMilliseconds * 1000))
        case .waiting(let server): return .missing(server: server)
        case .refused(_, let reason): return .refused(reason: reason)
        case .running(let connection):
          return .running(
            server: connection.server, sampleRate: connection.sampleRate,
            periodFrames: connection.periodFrames)
        }
      }
      return .silent(server: configuration.serverName)
    } catch {
      return nil
    }
  }
}
