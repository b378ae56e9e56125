import Foundation
import Glibc
import Synchronization

/// A headless Chromium with a home of its own, driven by its DevTools protocol over a pair of pipes.
///
/// Calls wait in the calling thread. It trusts the certificate authorities that it is given, as a person would make it.
public final class Browser: Sendable {
  /// An event, or the answer to a call.
  typealias Message = [String: Any]

  private struct State {
    var calls = 0
    var rest: [UInt8] = []
  }

  /// The browser.
  public let process: ChildProcess
  private let input: FileHandle
  private let output: Int32
  private let state = Mutex(State())

  /// Starts it.
  ///
  /// - Parameters:
  ///   - authority: a certificate to trust, DER; nil: none but the system's.
  ///   - arguments: more of its own.
  /// - Throws: `RigError`.
  public init(
    trusting authority: [UInt8]?, arguments: [String] = [], in directory: TemporaryDirectory
  ) throws(RigError) {
    let home = directory.file("home")
    if let authority { try Self.trust(authority, home: home, in: directory) }
    let (toBrowser, fromBrowser) = (Pipe(), Pipe())
    let flags =
      [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
        "--disable-background-networking", "--disable-extensions", "--disable-dev-shm-usage",
        "--mute-audio=false", "--remote-debugging-pipe", "--user-data-dir=\(home)/profile",
        "--host-resolver-rules=MAP *.local 127.0.0.1", "--force-color-profile=srgb",
      ] + arguments + ["about:blank"]
    process = try ChildProcess(
      "/bin/sh", ["-c", "exec chromium \"$@\" 3<&0 4>&1 </dev/null >&2", "sh"] + flags,
      environment: ["HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home],
      outputPath: directory.file("chromium.log"),
      standardInput: toBrowser.fileHandleForReading.fileDescriptor,
      standardOutput: fromBrowser.fileHandleForWriting.fileDescriptor)
    try? toBrowser.fileHandleForReading.close()
    try? fromBrowser.fileHandleForWriting.close()
    input = toBrowser.fileHandleForWriting
    output = dup(fromBrowser.fileHandleForReading.fileDescriptor)
  }

  deinit {
    process.terminate()
    close(output)
  }

  /// Whether a browser that can be driven is installed.
  public static var isInstalled: Bool {
    ChildProcess.path(of: "chromium") != nil && ChildProcess.path(of: "certutil") != nil
  }

  /// Opens a page of that size, as a phone of 2 device pixels a CSS pixel with a touch screen shows it.
  ///
  /// - Throws: `RigError`.
  public func open(_ address: String, width: Int = 390, height: Int = 844) throws(RigError)
    -> BrowserPage
  {
    let target =
      try call("Target.createTarget", ["url": "about:blank", "newWindow": true])["targetId"]
      as? String ?? ""
    let session =
      try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]
      as? String ?? ""
    let page = BrowserPage(self, session)
    try page.call("Page.enable")
    try page.resize(width: width, height: height)
    try page.go(to: address)
    return page
  }

  /// Calls a method, and waits for its answer.
  ///
  /// - Throws: `RigError.status` with the browser's words.
  @discardableResult
  func call(
    _ method: String, _ parameters: [String: Any] = [:], session: String? = nil,
    within seconds: Double = 20
  ) throws(RigError) -> Message {
    try state.withLock { state throws(RigError) in
      state.calls += 1
      let id = state.calls
      var message: Message = ["id": id, "method": method, "params": parameters]
      if let session { message["sessionId"] = session }
      do {
        try input.write(
          contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
      } catch {
        throw .status(reason: "chromium does not listen: \(process.outputTail())")
      }
      let end = monotonicNanoseconds() + Int64(seconds * 1e9)
      while let answer = try next(&state, method, until: end) {
        guard answer["id"] as? Int == id else { continue }
        if let error = answer["error"] as? Message {
          throw .status(reason: "\(method): \(error["message"] ?? "refused")")
        }
        return answer["result"] as? Message ?? [:]
      }
      throw .timeout(waitingFor: method, seconds: seconds, detail: process.outputTail())
    }
  }

  /// The next message; nil: none came in time.
  private func next(
    _ state: inout State, _ method: String, until end: Int64
  ) throws(RigError) -> Message? {
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let zero = state.rest.firstIndex(of: 0) {
        let line = Data(state.rest[..<zero])
        state.rest.removeSubrange(...zero)
        return (try? JSONSerialization.jsonObject(with: line)) as? Message ?? [:]
      }
      let left = (end - monotonicNanoseconds()) / 1_000_000
      var poller = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard left > 0, unsafe poll(&poller, 1, Int32(left)) > 0 else { return nil }
      let count = unsafe read(output, &part, part.count)
      guard count > 0 else {
        throw .ended(
          command: "chromium (\(method))", status: process.endStatus ?? 0,
          output: process.outputTail())
      }
      state.rest += part[..<count]
    }
  }

  /// Puts an authority into the browser's store (NSS).
  private static func trust(
    _ authority: [UInt8], home: String, in directory: TemporaryDirectory
  ) throws(RigError) {
    let store = "\(home)/.pki/nssdb"
    let file = directory.file("authority.crt")
    do {
      try FileManager.default.createDirectory(
        atPath: store, withIntermediateDirectories: true)
      try Data(authority).write(to: URL(filePath: file))
    } catch {
      throw .file(path: store, reason: "\(error)")
    }
    for arguments in [
      ["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "crew", "-i", file],
    ] {
      let tool = try ChildProcess(
        "certutil", ["-d", "sql:\(store)"] + arguments, outputPath: directory.file("certutil.log"))
      guard try tool.wait(within: 20) == 0 else {
        throw .launch(command: tool.command, reason: tool.output)
      }
    }
  }
}
