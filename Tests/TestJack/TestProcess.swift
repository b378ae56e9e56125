import Glibc
import Synchronization
import System

/// A program run by a test, owned by a thread of its own: whatever ends the test run, the program ends with it.
public final class TestProcess: Sendable {
  private struct Course {
    var identifier: pid_t?
    var exit: ChildExit?
    var output = ""
  }

  private final class Book: Sendable {
    let course = Mutex(Course())
  }

  private let book: Book
  private let thread: BlockingThread

  /// Starts it, soon; its environment is ours and the given "NAME=value" lines.
  public init(
    _ program: String, _ arguments: [String], environment: [String] = []
  ) throws {
    let book = Book()
    self.book = book
    thread = try BlockingThread(name: "test-process") { thread in
      Self.run(program, arguments, environment, book: book, on: thread)
    }
    try thread.start()
  }

  deinit {
    end()
  }

  /// Ends it by SIGTERM and waits until it has ended; twice is harmless.
  func end() {
    _ = thread.stop(withinMilliseconds: 10_000)
  }

  /// Whether it has not ended yet, or is about to start.
  public var isRunning: Bool { book.course.withLock { $0.exit == nil } }

  /// Its process; nil until it has started.
  var number: pid_t? { book.course.withLock { $0.identifier } }

  /// Sends a signal, unless it has ended.
  public func send(signal: Int32) {
    book.course.withLock { course in
      guard let identifier = course.identifier, course.exit == nil else { return }
      _ = kill(identifier, signal)
    }
  }

  /// Everything it wrote, once it has ended.
  @discardableResult
  public func outputAtEnd() -> String {
    while isRunning { usleep(2000) }
    return book.course.withLock { $0.output }
  }

  /// Whether it did what it was to do; waits for its end.
  func succeeds() -> Bool {
    outputAtEnd()
    return book.course.withLock { $0.exit == .status(0) }
  }

  /// Runs a program to its end and returns what it wrote.
  public static func output(_ program: String, _ arguments: [String]) -> String {
    (try? TestProcess(program, arguments))?.outputAtEnd() ?? ""
  }

  private static func run(
    _ program: String, _ arguments: [String], _ environment: [String], book: Book,
    on thread: BlockingThread
  ) {
    guard let path = ChildProcess.find(program),
      let child = try? ChildProcess(
        path: path, arguments: arguments, extraEnvironment: environment)
    else {
      book.course.withLock { $0.exit = .unknown }
      return
    }
    book.course.withLock { $0.identifier = child.identifier }
    var isAsked = false
    while book.course.withLock({ $0.exit == nil }) {
      if thread.isStopping, !isAsked {
        isAsked = true
        // One that was stopped has to go on to end cleanly.
        child.send(signal: SIGCONT)
        child.send(signal: SIGTERM)
      }
      let isReadable = thread.sleep(milliseconds: 20, orReadable: child.outputDescriptor)
      if isReadable, let text = child.readOutput() {
        book.course.withLock { $0.output += text }
      } else {
        book.course.withLock { $0.exit = child.exit() }
        if isReadable { usleep(1000) }
      }
    }
  }
}

/// Polls until the condition holds, for a minute at most.
///
/// A bound for a busy machine, not a measure.
public func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
  for _ in 0..<1200 {
    if try condition() { return true }
    try? await Task.sleep(for: .milliseconds(50))
  }
  return false
}
