import CProbe
import Glibc
import Synchronization

/// A program started by a test: own process group, output kept, killed and reaped with its owner.
///
/// The kernel ends it too when this process dies in any way. Safe from any thread.
public final class ChildProcess: Sendable {
  /// The command as a person would type it.
  public let command: String
  /// Process id, which is also its group's id.
  public let identifier: Int32
  /// Where stdout and stderr go.
  public let outputPath: String

  private enum Life {
    case running
    case ended(status: Int32)
  }

  private let life = Mutex(Life.running)
  private let cleanupKey = Mutex<Int?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - executable: a path, or a name to be found along PATH.
  ///   - environment: added to this process's own.
  ///   - outputPath: created or emptied; takes stderr only when `standardOutput` is given.
  ///   - standardInput: a descriptor, nothing to read when not given.
  ///   - standardOutput: a descriptor instead of the file.
  /// - Throws: `RigError.missing` when there is no such program, `.launch`, `.file`.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:],
    outputPath: String, standardInput: Int32? = nil, standardOutput: Int32? = nil
  ) throws(RigError) {
    guard let path = Self.path(of: executable) else {
      throw .missing(what: executable, hint: "it is neither a file nor along PATH")
    }
    self.outputPath = outputPath
    command = ([executable] + arguments).joined(separator: " ")
    let output = unsafe open(outputPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw .file(path: outputPath, reason: systemMessage(errno)) }
    defer { close(output) }
    let result = Self.spawn(
      path: path, arguments: [executable] + arguments,
      environment: Self.merged(environment),
      descriptors: (standardInput ?? -1, standardOutput ?? output, output))
    guard result > 0 else { throw .launch(command: command, reason: systemMessage(-result)) }
    identifier = result
    cleanupKey.withLock { $0 = Cleanup.shared.add { [weak self] in self?.terminate() } }
  }

  deinit {
    terminate()
  }

  /// Whether the program still runs; reaps it when it does not.
  public var isRunning: Bool { endStatus == nil }

  /// Exit status (128 + signal when killed by one), nil while it runs.
  public var endStatus: Int32? {
    life.withLock { life in
      if case .ended(let status) = life { return status }
      var status: Int32 = 0
      let result = unsafe waitpid(identifier, &status, WNOHANG)
      guard result != 0 else { return nil }
      let code = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
      life = .ended(status: result < 0 ? 255 : code)
      return result < 0 ? 255 : code
    }
  }

  /// Sends a signal to the program alone, unless it has ended.
  public func send(signal: Int32) {
    guard isRunning else { return }
    kill(identifier, signal)
  }

  /// Asks with SIGTERM, insists with SIGKILL on the whole group, reaps.
  ///
  /// - Returns: seconds it took to end by itself, nil when it had to be killed.
  @discardableResult
  public func terminate(within seconds: Double = 3) -> Double? {
    let start = monotonicNanoseconds()
    send(signal: SIGTERM)
    let isGone: Void? = try? waitUntil(command, within: seconds, interval: 0.005) {
      () throws(RigError) in !isRunning
    }
    let elapsed = Double(monotonicNanoseconds() - start) / 1e9
    kill(-identifier, SIGKILL)
    while isRunning { pause(seconds: 0.005) }
    if let key = cleanupKey.withLock({ $0.take() }) { Cleanup.shared.remove(key) }
    return isGone == nil ? nil : elapsed
  }

  /// Waits for the end.
  ///
  /// - Returns: the exit status.
  /// - Throws: `RigError.timeout`.
  public func wait(within seconds: Double) throws(RigError) -> Int32 {
    try waitUntil("the end of \(command)", within: seconds, interval: 0.005) {
      () throws(RigError) in !isRunning
    }
    return endStatus ?? 255
  }

  /// Everything printed so far.
  public var output: String { text(ofFile: outputPath) ?? "" }

  /// The last lines printed.
  public func outputTail(lines: Int = 12) -> String {
    output.split(separator: "\n").suffix(lines).joined(separator: "\n")
  }

  /// Complains if the program has ended already.
  ///
  /// - Throws: `RigError.ended`.
  public func checkRunning() throws(RigError) {
    guard let status = endStatus else { return }
    throw .ended(command: command, status: status, output: outputTail())
  }

  /// Where a program is: the path itself when it has a slash, else the first hit along PATH.
  public static func path(of executable: String) -> String? {
    if executable.contains("/") { return unsafe access(executable, X_OK) == 0 ? executable : nil }
    let search = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    return search.split(separator: ":").map { "\($0)/\(executable)" }
      .first { unsafe access($0, X_OK) == 0 }
  }

  private static func merged(_ extra: [String: String]) -> [String] {
    var result = extra.map { "\($0)=\($1)" }
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let line = unsafe String(cString: text)
      let name = String(line.prefix { $0 != "=" })
      if extra[name] == nil { result.append(line) }
      unsafe entry += 1
    }
    return result
  }

  private static func spawn(
    path: String, arguments: [String], environment: [String],
    descriptors: (input: Int32, output: Int32, errors: Int32)
  ) -> Int32 {
    unsafe withCStrings(arguments) { arguments in
      unsafe withCStrings(environment) { environment in
        unsafe rig_child_spawn(
          path, arguments, environment, descriptors.input, descriptors.output,
          descriptors.errors, SIGTERM)
      }
    }
  }

  private static func withCStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Int32
  ) -> Int32 {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    var pointers = unsafe copies.map { unsafe UnsafePointer($0) }
    unsafe pointers.append(nil)
    return unsafe pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return -EINVAL }
      return unsafe body(base)
    }
  }
}
