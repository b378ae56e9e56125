/// How long a language model is waited for, and how often it is asked again.
public struct ChatPatience: Hashable, Sendable {
  /// For a connection, nanoseconds as all that follow.
  public var connection: Int64 = 5_000_000_000
  /// From the question to the first piece of the answer: a small machine reads a long conversation slowly.
  public var answer: Int64 = 30_000_000_000
  /// From one piece to the next.
  public var rest: Int64 = 10_000_000_000
  /// For the whole answer, all attempts together.
  public var all: Int64 = 120_000_000_000
  /// How often it is asked at most.
  public var attempts = 3
  /// Before the second attempt; twice as long before each further one.
  public var pause: Int64 = 500_000_000
  /// The longest that a server may send us away for.
  public var longestPause: Int64 = 10_000_000_000

  /// The usual.
  public init() {}
}

/// One question to a language model until its answer is complete: connections, time-outs, attempts.
///
/// States: pausing → connecting → waiting → reading → over. What passes (``ChatFault/isPassing``) before the first
/// piece is tried again after a pause; once a piece was handed on, the answer is that one or none. Whoever does the
/// network carries out ``takeActions()`` after each call; what belongs to an attempt that was given up is ignored.
/// Times are nanoseconds of any clock that only grows.
public struct ChatExchange {
  /// What is to be done next.
  public enum Action: Hashable, Sendable {
    /// Open a connection and send the question; say how that goes with this number.
    case connect(attempt: Int)
    /// Close the connection of the attempt.
    case close
    /// Hand a piece of the answer on.
    case tell(ChatPiece)
    /// There will be no answer, or no more of it.
    case fail(ChatFault)
  }

  private enum State: Hashable {
    case pausing, connecting, waiting, reading, over
  }

  private let patience: ChatPatience
  private let endNanoseconds: Int64
  private var state = State.pausing
  private var attempt = 0
  private var reader: ChatReader?
  private var hasTold = false
  private var lastFault: ChatFault?
  private var actions: [Action] = []
  /// When ``tick(_:)`` is due; `Int64.max`: never.
  public private(set) var deadlineNanoseconds: Int64

  /// A question that is asked at once.
  public init(_ patience: ChatPatience = ChatPatience(), nowNanoseconds now: Int64) {
    self.patience = patience
    endNanoseconds = now + patience.all
    deadlineNanoseconds = now
    connect(now)
  }

  /// Whether nothing more happens.
  public var isOver: Bool { state == .over }

  /// Whether a connection of that attempt is still wanted.
  public func isConnecting(_ attempt: Int) -> Bool {
    attempt == self.attempt && state != .pausing && state != .over
  }

  /// What is to be done, in this order.
  public mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// The question was sent.
  public mutating func sent(_ attempt: Int, nowNanoseconds now: Int64) {
    guard attempt == self.attempt, state == .connecting else { return }
    state = .waiting
    wait(patience.answer, now)
  }

  /// The head of the response came.
  public mutating func take(head reader: ChatReader, _ attempt: Int, nowNanoseconds now: Int64) {
    guard attempt == self.attempt, state == .waiting || state == .connecting, self.reader == nil
    else { return }
    state = .waiting
    self.reader = reader
  }

  /// A piece of the response's content came.
  public mutating func take(
    _ bytes: some Collection<UInt8>, _ attempt: Int, nowNanoseconds now: Int64
  ) {
    guard attempt == self.attempt, var reader, state == .waiting || state == .reading else {
      return
    }
    do throws(ChatFault) {
      let pieces = try reader.take(bytes)
      self.reader = reader
      tell(pieces, now)
    } catch {
      fail(error, now)
    }
  }

  /// The connection is over.
  ///
  /// - Parameter fault: why it broke; nil: the response is complete.
  public mutating func ended(_ attempt: Int, with fault: ChatFault?, nowNanoseconds now: Int64) {
    guard attempt == self.attempt, state != .pausing, state != .over else { return }
    if let fault { return fail(fault, now) }
    guard var reader else { return fail(.cut, now) }
    do throws(ChatFault) {
      tell(try reader.finish(), now)
      if state != .over { fail(.cut, now) }
    } catch {
      fail(error, now)
    }
  }

  /// Time has passed.
  public mutating func tick(nowNanoseconds now: Int64) {
    guard state != .over, now >= deadlineNanoseconds else { return }
    guard now < endNanoseconds else {
      // What went wrong last says more than that time is over.
      return finish(with: lastFault ?? .late(state == .reading ? .rest : .answer))
    }
    switch state {
    case .pausing: connect(now)
    case .connecting: fail(.late(.connection), now)
    case .waiting: fail(.late(.answer), now)
    case .reading: fail(.late(.rest), now)
    case .over: break
    }
  }

  /// Nobody wants the answer any more.
  public mutating func cancel() {
    guard state != .over else { return }
    if state != .pausing { actions.append(.close) }
    over()
  }

  private mutating func connect(_ now: Int64) {
    attempt += 1
    reader = nil
    state = .connecting
    wait(patience.connection, now)
    actions.append(.connect(attempt: attempt))
  }

  private mutating func tell(_ pieces: [ChatPiece], _ now: Int64) {
    for piece in pieces where state != .over {
      state = .reading
      hasTold = true
      actions.append(.tell(piece))
      if case .end = piece {
        actions.append(.close)
        over()
      }
    }
    if state == .reading { wait(patience.rest, now) }
  }

  private mutating func fail(_ fault: ChatFault, _ now: Int64) {
    lastFault = fault
    guard fault.isPassing, !hasTold, attempt < patience.attempts else { return finish(with: fault) }
    actions.append(.close)
    state = .pausing
    // The attempt that ends here says nothing any more.
    reader = nil
    var pause = patience.pause << Int64(min(attempt - 1, 16))
    if case .busy(let seconds?) = fault {
      pause = max(pause, Int64(min(seconds, 1e6) * 1e9))
    }
    guard pause <= patience.longestPause, now + pause < endNanoseconds else {
      return finish(with: fault, isClosed: true)
    }
    wait(pause, now)
  }

  private mutating func finish(with fault: ChatFault, isClosed: Bool = false) {
    if !isClosed, state != .pausing { actions.append(.close) }
    actions.append(.fail(fault))
    over()
  }

  private mutating func over() {
    state = .over
    reader = nil
    deadlineNanoseconds = .max
  }

  private mutating func wait(_ nanoseconds: Int64, _ now: Int64) {
    deadlineNanoseconds = min(endNanoseconds, now + nanoseconds)
  }
}
