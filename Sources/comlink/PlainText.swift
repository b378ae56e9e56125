internal import Glibc
internal import Remote
internal import StatusSchema

/// Words for the terminal.
enum PlainText {
  /// A group in a line.
  static func line(_ group: GroupStatus) -> String {
    "\(cleaned(group.name))  (\(cleaned(group.words)))"
  }

  /// Text from outside that cannot send commands to the terminal.
  static func cleaned(_ text: String) -> String { StatusTable.cleaned(text) }

  /// Tells something that is no result.
  static func note(_ words: String) {
    let bytes = Array("comlink: \(words)\n".utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}
