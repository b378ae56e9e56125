internal import Glibc
internal import Remote
internal import StatusSchema

/// `comlink status --watch` in a terminal: the node and its peers with meters, until a key or a signal ends it.
struct LiveStatus: ~Copyable {
  /// Eight pictures a second: fast enough for meters to read speech by.
  private static let interval = Duration.milliseconds(125)
  /// How long a daemon that is gone is left alone.
  private static let retryInterval = Duration.seconds(1)
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGWINCH]

  private var source: StatusSource
  private let traits: TerminalTraits
  private var view: LiveView
  private var screen: ScreenText
  private let start = ContinuousClock.now
  private var isGone = false

  /// A view of what a source tells.
  init(source: consuming StatusSource, traits: TerminalTraits) {
    self.source = source
    self.traits = traits
    view = LiveView(isUnicode: traits.isUnicode)
    screen = ScreenText(isUnicode: traits.isUnicode, hasColours: traits.hasColours)
  }

  /// Shows it until the end; a signal then ends the process as it would have without this view.
  mutating func run() {
    while let signal = show() {
      // The terminal is given back, and no signal held any more: the default action follows.
      kill(getpid(), signal == SIGTSTP ? SIGSTOP : signal)
      screen.forget()
    }
  }

  /// Shows it until a signal comes that is the process's business; nil: the user ended it.
  private mutating func show() -> Int32? {
    var signals = HeldSignals(Self.signals)
    let terminal = Terminal()
    var next = ContinuousClock.now
    while true {
      guard draw(on: terminal) else { return nil }
      next = max(next + (isGone ? Self.retryInterval : Self.interval), .now)
      repeat {
        let left = min(next - .now, Self.interval)
        if terminal.isEnded(within: left) { return nil }
        while let signal = signals.next() {
          guard signal == SIGWINCH else { return signal }
          screen.forget()
          next = .now
        }
      } while .now < next
    }
  }

  /// False when the terminal is gone.
  private mutating func draw(on terminal: borrowing Terminal) -> Bool {
    let size = terminal.size
    let frame: LiveFrame
    switch source.next() {
    case .success(let status):
      isGone = false
      frame = view.frame(
        of: status, columns: size.columns, rows: size.rows, at: ContinuousClock.now - start)
    case .failure(let failure):
      isGone = true
      frame = view.frame(problem: "\(failure)", columns: size.columns, rows: size.rows)
    }
    let text = screen.text(of: frame)
    return text.isEmpty || StandardOutput.write(text)
  }
}
