internal import ArgumentParser
internal import Glibc
internal import Remote
internal import StatusSchema

/// `comlink status`: the node and its peers, once or each second.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Shows the node and its peers.",
    discussion: """
      --json prints what STATUS.md in the sources describes; with --watch, one object a line. --watch \
      ends with Ctrl-C.
      """)

  @Flag(help: "Prints JSON, keys sorted.") var json = false
  @Flag(help: "Prints it again each second.") var watch = false
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let clearsScreen = watch && !json && isatty(STDOUT_FILENO) == 1
    repeat {
      let answer = try RemoteOptions.answer(of: &client, to: .status)
      guard case .status(let status) = answer else { throw RemoteFailure.unexpectedAnswer }
      let text = try text(of: status)
      // The screen is cleared and filled in one write, so that it does not flicker.
      guard Self.write((clearsScreen ? "\u{1B}[H\u{1B}[2J" : "") + text + "\n") else { return }
      if watch { sleep(1) }
    } while watch
  }

  private func text(of status: Status) throws(RemoteFailure) -> String {
    guard json else { return StatusTable.text(status) }
    do throws(RemoteError) {
      if watch { return String(decoding: try JSONLine.encode(status), as: UTF8.self) }
      return try JSONLine.pretty(status)
    } catch {
      throw .remote(error)
    }
  }

  /// Writes to standard output; false when nobody reads it any more.
  private static func write(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[written...])
        return unsafe Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}
