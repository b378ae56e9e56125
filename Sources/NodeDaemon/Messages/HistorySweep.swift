internal import EventLoop
internal import Glibc
internal import Journal
internal import Logging
internal import Messages

/// Forgets what its time is over of, once an hour, and after many messages.
struct HistorySweep {
  private static let seconds: Int64 = 3600
  /// After so many messages their room is looked at anew, however soon they came.
  private static let messages = 1000

  private let journal: Journal
  private let retention: HistoryRetention
  private let log: Logger
  /// When that was last, and how many messages came since then.
  private var last = (nanoseconds: Int64.min, count: 0)
  /// Up to which numbers what is not kept is to go.
  private var passing: Set<Int64> = []

  init(_ journal: Journal, _ retention: HistoryRetention, _ log: Logger) {
    (self.journal, self.retention, self.log) = (journal, retention, log)
  }

  /// A message is in the history.
  mutating func note(_ message: Message) {
    // Audio takes the room of many texts: some 10 MB of it are looked at at once.
    last.count += 1 + (message.content.attachment?.byteCount ?? 0) / 10_000
    run()
  }

  /// Forgets, if it is time.
  mutating func run(isDue: Bool = false) {
    let now = EventLoop.nowNanoseconds()
    guard
      isDue || last.nanoseconds == .min || last.count >= Self.messages
        || now - last.nanoseconds > Self.seconds * 1_000_000_000
    else { return }
    last = (now, 0)
    do throws(JournalError) {
      _ = try journal.prune(retention, unixMilliseconds: MessageTime.now().unixMilliseconds)
    } catch {
      log.event(.messagesNotKept, "\(error)")
    }
  }

  /// What lines do not keep is to go up to a number; false: there is nothing to do, or it is to go already.
  mutating func plan(upTo number: Int64) -> Bool {
    journal.letsPass && passing.insert(number).inserted
  }

  /// Forgets what lines do not keep; false: there was nothing.
  mutating func removePassed(upTo number: Int64) -> Bool {
    passing.remove(number)
    do throws(JournalError) {
      return try journal.removePassed(upTo: number) > 0
    } catch {
      log.event(.messagesNotKept, "\(error)")
      return false
    }
  }
}

extension HistoryQuery {
  /// The newest message alone.
  static var last: HistoryQuery {
    var query = HistoryQuery()
    query.limit = 1
    return query
  }
}

extension MessageTime {
  /// What both clocks say.
  static func now() -> MessageTime {
    var clock = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &clock)
    return MessageTime(
      steadyNanoseconds: EventLoop.nowNanoseconds(),
      unixMilliseconds: Int64(clock.tv_sec) * 1000 + Int64(clock.tv_nsec) / 1_000_000)
  }
}
