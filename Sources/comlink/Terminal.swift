internal import FoundationEssentials
internal import Glibc
internal import Remote

/// The terminal while it is ours: the other screen, no echo, keys as they come.
///
/// Whoever lets go of it gives it back as it was.
struct Terminal: ~Copyable {
  private static let usualSize = (columns: 80, rows: 24)

  /// How its keys were handled before; nil: there is no keyboard.
  private let settings: termios?

  /// Takes it.
  init() {
    settings = Self.takeKeys()
    _ = StandardOutput.write(ScreenText.enter)
  }

  deinit {
    _ = StandardOutput.write(ScreenText.leave)
    if var settings { unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) }
  }

  /// Its size now.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else { return Self.usualSize }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Waits for keys as long as that; answers whether one of them was `q`.
  func isEnded(within time: Duration) -> Bool {
    var keyboard = pollfd(
      fd: settings == nil ? -1 : STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(max(0, (time / .milliseconds(1)).rounded(.up)))
    guard unsafe poll(&keyboard, 1, milliseconds) > 0 else { return false }
    var keys = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(STDIN_FILENO, &keys, keys.count)
    // A terminal that is gone is always ready, with nothing.
    return count <= 0 || keys.prefix(count).contains(UInt8(ascii: "q"))
  }

  private static func takeKeys() -> termios? {
    var settings = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    return before
  }
}

/// What the terminal at standard output can show.
struct TerminalTraits: Equatable {
  /// Whether it takes UTF-8.
  var isUnicode: Bool
  /// Whether colours are welcome (no-color.org).
  var hasColours: Bool

  /// The traits that the environment tells of; nil: it cannot move its cursor.
  init?(environment: [String: String]) {
    guard let kind = environment["TERM"], !kind.isEmpty, kind != "dumb" else { return nil }
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }?.lowercased() ?? ""
    isUnicode = locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    hasColours = environment["NO_COLOR", default: ""].isEmpty
  }

  /// The ones of this process; nil where standard output is no terminal.
  static var ofThisProcess: TerminalTraits? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    return TerminalTraits(environment: ProcessInfo.processInfo.environment)
  }
}
