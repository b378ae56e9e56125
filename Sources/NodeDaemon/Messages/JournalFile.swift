internal import Dispatch
internal import Glibc
internal import Journal
internal import Logging
internal import Messages

/// The journal's file in the state directory.
enum JournalFile {
  static let name = "messages.db"
  private static let companions = ["", "-wal", "-shm"]

  /// Opens it; one that is damaged is set aside, and one that cannot be is of this run only.
  ///
  /// - Returns: why it is of this run only; nil: it is not.
  static func open(
    in directory: String?, _ log: Logger
  ) throws(JournalError) -> (journal: Journal, problem: String?) {
    guard let directory else {
      let problem = "messages hold for this run only: there is no state directory"
      return (try Journal(path: nil), problem)
    }
    let path = "\(directory)/\(name)"
    do throws(JournalError) {
      let journal = try Journal(path: path)
      // Damage may be where opening it does not look.
      _ = try journal.load()
      return (journal, nil)
    } catch {
      guard error.isDamage else { return try forThisRun(error, log) }
      for companion in companions {
        _ = unsafe rename(path + companion, path + ".damaged" + companion)
      }
      log.event(.messagesLost, "\(error); it is now \(path).damaged, and messages begin anew")
    }
    do throws(JournalError) {
      return (try Journal(path: path), nil)
    } catch {
      return try forThisRun(error, log)
    }
  }

  private static func forThisRun(
    _ error: JournalError, _ log: Logger
  ) throws(JournalError) -> (journal: Journal, problem: String?) {
    let words = "messages hold for this run only: \(error)"
    log.event(.messagesNotKept, "\(words)")
    return (try Journal(path: nil), words)
  }
}

/// Runs an actor's jobs on a queue of its own, so that a disk that it waits for holds up nobody else.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
