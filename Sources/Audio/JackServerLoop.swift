import Glibc

/// What the launcher's thread does: start, wait, start again; lives on that thread alone.
struct JackServerLoop {
  private static let retryMillisecondsRange = 500...10_000
  private static let steadyNanoseconds: Int64 = 30_000_000_000
  private static let terminationMilliseconds = 500
  private static let lookMilliseconds = 500
  /// A jackd that finds another of its name has ended by then.
  private static let provenNanoseconds: Int64 = 1_000_000_000
  /// How jackd says that.
  private static let anothersWords = "already active"
  private static let keptOutputCharacters = 1000
  /// What jackd always says, several times.
  private static let farewell = "no message buffer overruns"

  private let program: String
  private let serverName: String
  private let periodFrames: Int?
  private let report: (JackServerEvent) -> Void
  private var retryMilliseconds = retryMillisecondsRange.lowerBound
  private var output = ""
  private let looksMilliseconds: Int
  private let sight: ServerSight
  /// The server that runs is not ours.
  private var isAnothers = false

  init(
    program: String, serverName: String, periodFrames: Int?, looksMilliseconds: Int,
    sight: ServerSight,
    report: @escaping (JackServerEvent) -> Void
  ) {
    self.program = program
    self.serverName = serverName
    self.periodFrames = periodFrames
    self.looksMilliseconds = looksMilliseconds
    self.sight = sight
    self.report = report
  }

  /// Runs until the thread is to stop, then ends the server.
  mutating func run(on thread: BlockingThread) {
    var isMissingTold = false
    look(on: thread)
    while !thread.isStopping {
      if isAnothers, sight.word == .present {
        thread.sleep(milliseconds: Self.retryMillisecondsRange.upperBound)
        // The session may see its end before jackd does.
        retryMilliseconds = Self.retryMillisecondsRange.lowerBound
        continue
      }
      if let path = ChildProcess.find(program) {
        isMissingTold = false
        runServer(path: path, on: thread)
      } else {
        if !isMissingTold { report(.notInstalled) }
        isMissingTold = true
        retryMilliseconds = Self.retryMillisecondsRange.upperBound
      }
      pause(on: thread)
    }
    report(.stopped)
  }

  /// Waits for what the session sees.
  private mutating func look(on thread: BlockingThread) {
    let deadline = monotonicNanoseconds() + Int64(looksMilliseconds) * 1_000_000
    while !thread.isStopping, sight.word == .nothingYet, monotonicNanoseconds() < deadline {
      thread.sleep(milliseconds: Int((deadline - monotonicNanoseconds()) / 1_000_000) + 1)
    }
    if sight.word == .present { leaveToAnother() }
  }

  /// From now on only jackd itself tells, in silence, whether it is still there.
  private mutating func leaveToAnother() {
    guard !isAnothers else { return }
    isAnothers = true
    retryMilliseconds = Self.retryMillisecondsRange.upperBound
    report(.alreadyRunning(server: serverName))
  }

  /// Starts one server and waits for its end, or ends it when the thread is to stop.
  private mutating func runServer(path: String, on thread: BlockingThread) {
    let startNanoseconds = monotonicNanoseconds()
    let command = JackServerCommand(
      driver: JackServerCommand.driver(for: Self.soundCards()), serverName: serverName,
      realtimePriority: Self.permittedPriority(), periodFrames: periodFrames)
    let child: ChildProcess
    do {
      child = try ChildProcess(
        path: path, arguments: command.arguments, extraEnvironment: Self.extraEnvironment(),
        keepsStandardOutput: false)
    } catch {
      report(.failed(reason: "\(error)", retryMilliseconds: retryMilliseconds))
      return
    }
    let started = JackServerEvent.started(
      processIdentifier: child.identifier, arguments: command.arguments)
    if !isAnothers { report(started) }
    output = ""
    while !thread.isStopping {
      let exit = wait(for: child, milliseconds: Self.lookMilliseconds, on: thread)
      let ranNanoseconds = monotonicNanoseconds() - startNanoseconds
      if let exit {
        guard !output.contains(Self.anothersWords) else { return leaveToAnother() }
        isAnothers = false
        adaptRetry(ranNanoseconds: ranNanoseconds)
        report(
          .ended(
            reason: Self.words(exit), output: lastOutput, retryMilliseconds: retryMilliseconds))
        return
      }
      if isAnothers, ranNanoseconds >= Self.provenNanoseconds {
        (isAnothers, retryMilliseconds) = (false, Self.retryMillisecondsRange.lowerBound)
        report(started)
      }
    }
    end(child, on: thread)
  }

  /// Waits for output or the end, at most that long; keeps the output's tail.
  private mutating func wait(
    for child: borrowing ChildProcess, milliseconds: Int, on thread: BlockingThread
  ) -> ChildExit? {
    if thread.sleep(milliseconds: milliseconds, orReadable: child.outputDescriptor) {
      guard !keepOutput(of: child) else { return nil }
      // The end of file comes a moment before the status, or long before it when a program closed its output.
      if let exit = child.exit() { return exit }
      thread.sleep(milliseconds: 10)
    }
    guard let exit = child.exit() else { return nil }
    _ = keepOutput(of: child)
    return exit
  }

  /// Takes what there is; false at the end of file.
  private mutating func keepOutput(of child: borrowing ChildProcess) -> Bool {
    guard let text = child.readOutput() else { return false }
    output = String((output + text).suffix(Self.keptOutputCharacters))
    return true
  }

  private mutating func end(_ child: borrowing ChildProcess, on thread: BlockingThread) {
    child.send(signal: SIGTERM)
    let deadline = monotonicNanoseconds() + Int64(Self.terminationMilliseconds) * 1_000_000
    while monotonicNanoseconds() < deadline {
      if wait(for: child, milliseconds: 20, on: thread) != nil { return }
    }
    child.send(signal: SIGKILL)
    while wait(for: child, milliseconds: 20, on: thread) == nil {}
  }

  // MARK: Trying again

  private mutating func adaptRetry(ranNanoseconds: Int64) {
    if ranNanoseconds >= Self.steadyNanoseconds {
      retryMilliseconds = Self.retryMillisecondsRange.lowerBound
    }
  }

  private mutating func pause(on thread: BlockingThread) {
    let deadline = monotonicNanoseconds() + Int64(retryMilliseconds) * 1_000_000
    while !thread.isStopping, monotonicNanoseconds() < deadline {
      thread.sleep(milliseconds: Int((deadline - monotonicNanoseconds()) / 1_000_000) + 1)
    }
    retryMilliseconds = min(2 * retryMilliseconds, Self.retryMillisecondsRange.upperBound)
  }

  // MARK: What is there

  private static func soundCards() -> [SoundCard] {
    SoundCard.parse(cards: text(of: "/proc/asound/cards"), pcm: text(of: "/proc/asound/pcm"))
  }

  private static func text(of path: String) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { _ = close(descriptor) }
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe read(descriptor, bytes.baseAddress, bytes.count)
      }
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all.append(contentsOf: bytes.prefix(count))
    }
  }

  /// The real-time priority jackd may have, found by taking it for a moment: limits, capabilities and control groups all
  /// have their say in that.
  private static func permittedPriority() -> Int? {
    var ordinary = sched_param(sched_priority: 0)
    defer { unsafe pthread_setschedparam(pthread_self(), SCHED_OTHER, &ordinary) }
    let candidates = stride(from: JackServerCommand.realtimePriority, to: 0, by: -1)
    return candidates.first { priority in
      var wanted = sched_param(sched_priority: Int32(clamping: priority))
      return unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0
    }
  }

  /// jackd reserves cards over D-Bus and gives up where there is no session bus, as on a Pi without a screen.
  private static func extraEnvironment() -> [String] {
    unsafe getenv("DBUS_SESSION_BUS_ADDRESS") == nil ? ["JACK_NO_AUDIO_RESERVATION=1"] : []
  }

  // MARK: Words

  /// The last lines, as one.
  private var lastOutput: String {
    output.split(separator: "\n").filter { $0 != Self.farewell }.suffix(4)
      .joined(separator: " / ")
  }

  private static func words(_ exit: ChildExit) -> String {
    switch exit {
    case .status(let status): "status \(status)"
    case .signal(let signal): "signal \(signal)"
    case .unknown: "status unknown"
    }
  }
}
