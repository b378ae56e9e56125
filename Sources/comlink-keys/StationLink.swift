internal import Glibc
internal import KeyDevices
internal import Keys
internal import Remote
internal import System

/// The way to the station: a connection to its control socket that comes back by itself.
///
/// *away* → connected, the subscription is asked for → *there*, presses go out and documents come → an end of the
/// connection, five seconds of silence, or an answer that is none → away, and a pause that grows. Nothing here waits.
struct StationLink: ~Copyable {
  /// What it tells.
  enum Event: Hashable {
    /// The station answers.
    case there
    /// It does not, and why; told again only when the reason is another.
    case away(String)
    /// What it tells of its keys.
    case tally(Tally)
    /// It did not do what was asked of a key, and why.
    case refused(key: String, String)
  }

  /// The document changes once a second: a station that tells nothing for so long is stuck.
  static let patience = Duration.seconds(5)
  /// The longest line accepted, octets.
  static let lineLimitBytes = 1 << 20
  /// The most requests without an answer.
  static let mostUnanswered = 256

  private let findPath: () -> String
  /// Where it was called last.
  private var path = ""
  private var descriptor: Descriptor?
  private var input = LineBuffer(limitBytes: lineLimitBytes)
  /// What was asked for, in the order of the answers; nil: the subscription.
  private var unanswered: [String?] = []
  private var document = JSONTree.object([:])
  private var isThere = false
  private var heard = Duration.zero
  private var pause = RetryPause()
  private var nextTry = Duration.zero
  private var told: String?

  /// A way to the socket at a path, which is found anew for each call; the first is by ``turn(at:)``.
  init(path: @escaping () -> String) { findPath = path }

  /// What is to be waited for.
  var number: Int32? { descriptor?.number }

  /// When ``turn(at:)`` has something to do.
  var deadline: Duration { descriptor == nil ? nextTry : heard + Self.patience }

  /// Calls the station, or gives it up, when it is time to.
  mutating func turn(at now: Duration) -> [Event] {
    guard deadline <= now else { return [] }
    if descriptor != nil { return end("it has told nothing for 5 s", at: now) }
    do throws(RemoteError) {
      try call()
    } catch {
      return end("\(error)", at: now)
    }
    heard = now
    return send(.subscribe(levels: false), about: nil, at: now)
  }

  /// Presses or releases a key.
  mutating func press(_ key: String, isPressed: Bool, at now: Duration) -> [Event] {
    guard isThere else { return [] }
    guard let request = StationKeys.request(for: key, isPressed: isPressed) else {
      let names = StationKeys.names.joined(separator: ", ")
      return [.refused(key: key, "the station has no key \(key); it has \(names)")]
    }
    return send(request, about: key, at: now)
  }

  /// Takes what came.
  mutating func read(at now: Duration) -> [Event] {
    guard let number else { return [] }
    var received = 0
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      received = SystemCall.result { unsafe recv(number, buffer.baseAddress, 65_536, 0) }
      count = max(0, received)
    }
    if SystemCall.isWouldBlock(received) { return [] }
    guard received > 0 else { return end("it closed the connection", at: now) }
    heard = now
    input.append(chunk)
    var events: [Event] = []
    while true {
      switch input.next() {
      case .nothing: return events
      case .tooLong: return events + end("a line of it is too long", at: now)
      case .line(let line):
        events += take(line, at: now)
        guard descriptor != nil else { return events }
      }
    }
  }

  /// Ends the connection once all that was asked for is answered, or the time is over.
  mutating func finish(by deadline: Duration) {
    while let number, !unanswered.isEmpty {
      let left = (deadline - now()) / .milliseconds(1)
      var polled = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      guard left > 0, unsafe poll(&polled, 1, Int32(left.rounded(.up))) > 0 else { break }
      _ = read(at: now())
    }
    descriptor = nil
  }

  private mutating func call() throws(RemoteError) {
    path = findPath()
    let address = try UnixAddress(path: path)
    let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let made = SystemCall.result { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0) }
    if let code = SystemCall.code(made) {
      throw .system(operation: "make a socket for", path: path, code: code)
    }
    let opened = Descriptor(owning: Int32(made))
    switch SystemCall.code(address.connect(opened.number)) {
    case nil: descriptor = opened
    case ENOENT, ECONNREFUSED, ENOTDIR: throw .noServer(path: path)
    case EACCES, EPERM: throw .noPermission(path: path, group: "comlink")
    case .some(let code): throw .system(operation: "connect to", path: path, code: code)
    }
  }

  private mutating func send(
    _ request: ControlRequest, about key: String?, at now: Duration
  ) -> [Event] {
    guard let number else { return [] }
    guard unanswered.count < Self.mostUnanswered else {
      return end("it has not answered \(Self.mostUnanswered) requests", at: now)
    }
    guard let line = try? JSONLine.encode(request) + [UInt8(ascii: "\n")] else { return [] }
    let sent = unsafe line.withUnsafeBytes { bytes in
      SystemCall.result {
        unsafe Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
    }
    // Short lines go whole, or the station reads nothing any more.
    guard sent == line.count else { return end("it takes no more requests", at: now) }
    unanswered.append(key)
    return []
  }

  private mutating func take(_ line: [UInt8], at now: Duration) -> [Event] {
    guard let tree = try? JSONLine.decode(JSONTree.self, from: line), case .object = tree else {
      return end("what it says is no JSON object", at: now)
    }
    guard case .bool(let isDone) = tree["ok"] else {
      document.merge(tree)
      return isThere ? [.tally(StationKeys.tally(of: document))] : []
    }
    guard !unanswered.isEmpty else { return end("it answers what nobody asked", at: now) }
    let key = unanswered.removeFirst()
    var words = "no reason given"
    if case .text(let text) = tree["error"] { words = StatusTable.cleaned(text) }
    switch (key, isDone) {
    case (nil, false): return end(words, at: now)
    case (nil, true):
      (isThere, told, pause) = (true, nil, RetryPause())
      return [.there]
    case (let key?, false): return [.refused(key: key, words)]
    case (_, true): return []
    }
  }

  /// Gives the connection up until the next try.
  private mutating func end(_ words: String, at now: Duration) -> [Event] {
    (descriptor, isThere, unanswered) = (nil, false, [])
    input = LineBuffer(limitBytes: Self.lineLimitBytes)
    document = .object([:])
    nextTry = now + pause.afterFailure()
    guard told != words else { return [] }
    told = words
    return [.away(words)]
  }
}
