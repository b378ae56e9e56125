internal import Glibc
internal import KeyDevices
internal import Keys
internal import Remote
internal import System

/// The way to the station: a connection to its control socket that comes back by itself.
///
/// *away* → connected, the subscription is asked for → the first document: *there*, presses go out and changes come →
/// an end of the connection, five seconds of silence, or an answer that is none → away, and a pause that grows. Nothing
/// here waits.
///
/// Each connection presses as a holder of its own, and says ``holdInterval`` by ``holdInterval`` that it is there while
/// it holds a key: the station lets go of what a holder holds that is silent for a second. So nothing stays open when
/// this process is killed, and what an earlier connection held is nobody's.
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
  /// How often the station hears of a holder, which it takes for gone after ``leaseTime``: two may be late.
  static let holdInterval = Duration.milliseconds(300)
  /// When it has let go of what a silent holder held.
  static let leaseTime = Duration.seconds(1)

  /// What was asked for.
  private enum Request {
    case subscription
    /// A press or release of a key, as the panel calls it.
    case key(String)
    case hold
  }

  private let findPath: () -> String
  /// Where it was called last.
  private var path = ""
  private var descriptor: Descriptor?
  private var input = LineBuffer(limitBytes: lineLimitBytes)
  /// What was asked for, in the order of the answers.
  private var unanswered: [Request] = []
  private var document = JSONTree.object([:])
  private var keys = StationKeys()
  private var isThere = false
  /// How often it was called.
  private var calls = 0
  /// The station's names of keys that are held, by the panel's.
  private var held: [String: String] = [:]
  /// When it heard last that they are.
  private var renewed = Duration.zero
  private var heard = Duration.zero
  private var pause = RetryPause()
  private var nextTry = Duration.zero
  private var told: String?

  /// A way to the socket at a path, which is found anew for each call; the first is by ``turn(at:)``.
  init(path: @escaping () -> String) { findPath = path }

  /// What is to be waited for.
  var number: Int32? { descriptor?.number }

  /// When ``turn(at:)`` has something to do.
  var deadline: Duration {
    guard descriptor != nil else { return nextTry }
    let silence = heard + Self.patience
    return held.isEmpty ? silence : min(silence, renewed + Self.holdInterval)
  }

  /// Who presses, as the station is told.
  private var holder: String { "comlink-keys \(getpid()).\(calls)" }

  /// Calls the station, tells it that keys are held, or gives it up, when it is time to.
  mutating func turn(at now: Duration) -> [Event] {
    guard deadline <= now else { return [] }
    if descriptor != nil {
      guard now < heard + Self.patience else { return end("it has told nothing for 5 s", at: now) }
      return hold(at: now)
    }
    do throws(RemoteError) {
      try call()
    } catch {
      return end("\(error)", at: now)
    }
    heard = now
    return send(.subscribe(levels: .calm), as: .subscription, at: now)
  }

  /// Presses a key.
  mutating func press(_ key: String, at now: Duration) -> [Event] {
    guard isThere else { return [] }
    let name = keys.name(of: key)
    held[key] = name
    renewed = now
    return send(.key(.press(key: name, holder: holder)), as: .key(key), at: now)
  }

  /// Releases it, unless it is held under another of the panel's names.
  mutating func release(_ key: String, at now: Duration) -> [Event] {
    guard isThere, let name = held.removeValue(forKey: key), !held.values.contains(name) else {
      return []
    }
    renewed = now
    return send(.key(.release(key: name, holder: holder)), as: .key(key), at: now)
  }

  private mutating func hold(at now: Duration) -> [Event] {
    guard now < renewed + Self.leaseTime else {
      return end("this process stood still, and what is held was let go of", at: now)
    }
    renewed = now
    return send(.key(.hold(holder: holder)), as: .hold, at: now)
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
    calls += 1
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
    _ request: ControlRequest, as kind: Request, at now: Duration
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
    unanswered.append(kind)
    return []
  }

  private mutating func take(_ line: [UInt8], at now: Duration) -> [Event] {
    guard let tree = try? JSONLine.decode(JSONTree.self, from: line), case .object = tree else {
      return end("what it says is no JSON object", at: now)
    }
    guard case .bool(let isDone) = tree["ok"] else { return show(tree) }
    guard !unanswered.isEmpty else { return end("it answers what nobody asked", at: now) }
    let request = unanswered.removeFirst()
    guard !isDone else { return [] }
    var words = "no reason given"
    if case .text(let text) = tree["error"] { words = StatusTable.cleaned(text) }
    switch request {
    case .subscription: return end(words, at: now)
    case .key(let key): return [.refused(key: key, words)]
    // What it holds was refused, or is on its way to be released.
    case .hold: return []
    }
  }

  /// Takes a document or what changed of it.
  private mutating func show(_ change: JSONTree) -> [Event] {
    document.merge(change)
    if !isThere || change["keys"] != nil { keys = StationKeys(document) }
    let tally = Event.tally(keys.tally)
    guard !isThere else { return [tally] }
    (isThere, told, pause) = (true, nil, RetryPause())
    return [.there, tally]
  }

  /// Gives the connection up until the next try.
  private mutating func end(_ words: String, at now: Duration) -> [Event] {
    (descriptor, isThere, unanswered, held) = (nil, false, [], [:])
    input = LineBuffer(limitBytes: Self.lineLimitBytes)
    document = .object([:])
    nextTry = now + pause.afterFailure()
    guard told != words else { return [] }
    told = words
    return [.away(words)]
  }
}
