import Foundation
import Synchronization

/// A terminal without a screen (pty(7)), for programs that look where they write.
final class PseudoTerminal: Sendable {
  /// TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), whose macros Swift does not import.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  /// The end that a program gets.
  let end: FileHandle
  private let master: Int32
  private let written = Mutex<[UInt8]>([])

  /// One of that size.
  init?(columns: UInt16, rows: UInt16) {
    master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (number, isLocked): (Int32, Int32) = (0, 0)
    guard master >= 0, unsafe ioctl(master, Self.setLock, &isLocked) == 0,
      unsafe ioctl(master, Self.getNumber, &number) == 0
    else { return nil }
    let slave = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
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
