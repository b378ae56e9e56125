import Foundation
import Synchronization

/// A terminal without a screen (pty(7)), for programs that look where they write.
final class PseudoTerminal: Sendable {
  /// The end that a program gets.
  let end: FileHandle
  private let master: Int32
  private let written = Mutex<[UInt8]>([])

  /// One of that size.
  init?(columns: UInt16, rows: UInt16) {
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0,
      let name = unsafe ptsname(master)
    else { return nil }
    let slave = unsafe open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { return nil }
    end = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    resize(columns: columns, rows: rows)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
  }

  deinit { close(master) }

  /// What was written to it so far.
  var text: String {
    var part = [UInt8](repeating: 0, count: 65_536)
    return written.withLock { written in
      while true {
        let count = unsafe read(master, &part, part.count)
        guard count > 0 else { return String(decoding: written, as: UTF8.self) }
        written += part[..<count]
      }
    }
  }

  /// Gives it another size; whoever uses it is told by SIGWINCH if it is its controlling terminal.
  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Types into it.
  func type(_ keys: String) { _ = unsafe write(master, keys, keys.utf8.count) }

  /// Waits until that was written.
  func wait(for words: String) async throws {
    while !text.contains(words) { try await Task.sleep(for: .milliseconds(10)) }
  }
}
