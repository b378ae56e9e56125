internal import CKernel
internal import Glibc

/// Does what can be done about findings without harm; it takes root.
public struct Repairer: Sendable {
  /// What became of one repair.
  public struct Outcome: Hashable, Sendable {
    /// What was done or tried, in words.
    public var words: String
    /// Whether it holds now.
    public var isDone: Bool
  }

  private let root: String
  private let setPowerSave: @Sendable (_ index: UInt32, _ isOn: Bool) -> Int32

  /// One for this system.
  public init() {
    self.init(root: "") { kernel_wifi_set_power_save($0, $1 ? 1 : 0) }
  }

  /// One for a system whose files lie under a directory; for tests.
  init(root: String, setPowerSave: @escaping @Sendable (UInt32, Bool) -> Int32) {
    (self.root, self.setPowerSave) = (root, setPowerSave)
  }

  /// Does them in order; one that fails does not stop the others.
  public func repair(_ findings: [Finding]) -> [Outcome] {
    var done: Set<Repair> = []
    return findings.flatMap(\.repairs).filter { done.insert($0).inserted }.map(outcome)
  }

  private func outcome(of repair: Repair) -> Outcome {
    switch repair {
    case .set(let path, let value):
      let code = write(value + "\n", to: path, flags: O_WRONLY)
      return told("set \(path) to \(value)", code)
    case .create(let path, let contents):
      makeFolder(of: path)
      let code = write(contents, to: path, flags: O_WRONLY | O_CREAT | O_EXCL)
      guard code == EEXIST else { return told("made \(path)", code) }
      return Outcome(words: "\(path) is there already and was left alone", isDone: false)
    case .keepRadioAwake(let interface, let index):
      return told("switched power save of \(interface) off", -setPowerSave(index, false))
    }
  }

  private func told(_ words: String, _ code: Int32) -> Outcome {
    guard code != 0 else { return Outcome(words: words, isDone: true) }
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return Outcome(words: "could not do it: \(words): \(reason)", isDone: false)
  }

  /// The error number, 0: written.
  private func write(_ text: String, to path: String, flags: Int32) -> Int32 {
    let file = unsafe open(root + path, flags | O_CLOEXEC, 0o644)
    guard file >= 0 else { return errno }
    let bytes = Array(text.utf8)
    let count = unsafe Glibc.write(file, bytes, bytes.count)
    let code = count == bytes.count ? 0 : count < 0 ? errno : EIO
    close(file)
    return code
  }

  private func makeFolder(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    _ = unsafe mkdir(root + path[..<slash], 0o755)
  }
}
