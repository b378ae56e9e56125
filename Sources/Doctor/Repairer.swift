internal import CKernel
internal import Glibc
internal import System

/// Does what can be done about findings without harm; it takes root.
public struct Repairer: Sendable {
  /// What became of one repair.
  public struct Outcome: Hashable, Sendable {
    /// What was done or tried, in words.
    public var words: String
    /// Whether it holds now.
    public var isDone: Bool
  }

  /// write(2): what was written, or -1 and `errno`.
  typealias Write = @Sendable (_ file: Int32, _ bytes: Span<UInt8>) -> Int

  private let root: String
  private let write: Write
  private let setPowerSave: @Sendable (_ index: UInt32, _ isOn: Bool) -> Int32

  /// One for this system.
  public init() {
    self.init(root: "") { kernel_wifi_set_power_save($0, $1 ? 1 : 0) }
  }

  /// One for a system whose files lie under a directory, and whose disk may be full; for tests.
  init(
    root: String, write: @escaping Write = Self.systemWrite,
    setPowerSave: @escaping @Sendable (UInt32, Bool) -> Int32
  ) {
    (self.root, self.write, self.setPowerSave) = (root, write, setPowerSave)
  }

  static let systemWrite: Write = { file, bytes in
    unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
  }

  /// Does them in order; one that fails does not stop the others.
  public func repair(_ findings: [Finding]) -> [Outcome] {
    var done: Set<Repair> = []
    return findings.flatMap(\.repairs).filter { done.insert($0).inserted }.map(outcome)
  }

  private func outcome(of repair: Repair) -> Outcome {
    switch repair {
    case .set(let path, let value):
      return told("set \(path) to \(value)", fill(root + path, flags: 0, with: value + "\n"))
    case .create(let path, let contents):
      makeFolder(of: path)
      let code = create(root + path, contents)
      guard code == EEXIST else { return told("created \(path)", code) }
      return Outcome(words: "\(path) exists and was not changed", isDone: false)
    case .keepRadioAwake(let interface, let index):
      return told("turned power save of \(interface) off", -setPowerSave(index, false))
    }
  }

  private func told(_ words: String, _ code: Int32) -> Outcome {
    guard code != 0 else { return Outcome(words: words, isDone: true) }
    return Outcome(words: "could not do it: \(words): \(errorWords(code))", isDone: false)
  }

  /// Makes a file that is there as a whole or not at all; the error number, 0: done, EEXIST: there was one.
  ///
  /// Written under a name that no reader of such folders takes for one of its own.
  private func create(_ path: String, _ contents: String) -> Int32 {
    let draft = path + ".new"
    // Of a former try.
    _ = unsafe unlink(draft)
    defer { _ = unsafe unlink(draft) }
    let code = fill(draft, flags: O_CREAT | O_EXCL, with: contents)
    guard code == 0 else { return code }
    return unsafe link(draft, path) == 0 ? 0 : errno
  }

  /// The error number, 0: all was written and, of a file on a disk, will stay.
  private func fill(_ path: String, flags: Int32, with text: String) -> Int32 {
    let file = unsafe open(path, O_WRONLY | O_CLOEXEC | flags, 0o644)
    guard file >= 0 else { return errno }
    defer { close(file) }
    let bytes = Array(text.utf8)
    let count = write(file, bytes.span)
    guard count == bytes.count else { return count < 0 ? errno : ENOSPC }
    // What the kernel shows as files has nothing to sync.
    return flags == 0 || fsync(file) == 0 ? 0 : errno
  }

  private func makeFolder(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    _ = unsafe mkdir(root + path[..<slash], 0o755)
  }
}

/// Something that `--fix` may do: it takes nothing away, and can be taken back.
enum Repair: Hashable, Sendable {
  /// Sets a value of the kernel's, until the next start.
  case set(path: String, value: String)
  /// Makes a file; one that is there already is left alone.
  case create(path: String, contents: String)
  /// Switches the power save of a radio off, until the next start.
  case keepRadioAwake(interface: String, index: UInt32)
}
