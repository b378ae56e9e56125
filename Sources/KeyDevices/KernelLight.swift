internal import Glibc
internal import Keys
internal import System

/// A light of the kernel (`/sys/class/leds/NAME`), lit by hand.
///
/// What else made it blink, its trigger, is put out while it is ours and put back at the end.
struct KernelLight {
  let name: String
  private let folder: String
  private var brightness: Descriptor?
  private var most = 1
  /// What made it blink before; nil: unknown.
  private var trigger: String?

  /// A light that is not open yet.
  init(name: String, folder: String) {
    self.name = name
    self.folder = "\(folder)/\(name)"
  }

  var isOpen: Bool { brightness != nil }

  /// Takes the light: 0, or below 0.
  mutating func open() -> Int {
    // A name is no way out of the folder.
    guard !name.isEmpty, !name.contains("/"), name != ".." else { return -Int(ENOENT) }
    let flags = O_WRONLY | O_CLOEXEC
    let opened = SystemCall.result { unsafe Glibc.open("\(folder)/brightness", flags) }
    guard opened >= 0 else { return opened }
    let descriptor = Descriptor(owning: Int32(opened))
    most = max(1, read("max_brightness").flatMap { Int($0) } ?? 1)
    if let former = read("trigger").flatMap(Self.chosen), former != "none" {
      trigger = trigger ?? former
      guard write("none", to: "trigger") else { return -Int(EACCES) }
    }
    brightness = descriptor
    return 0
  }

  /// Lights it; false when it is gone.
  mutating func set(_ light: LampLight) -> Bool {
    guard let descriptor = brightness else { return true }
    let text = "\(level(of: light))\n"
    let written = unsafe Array(text.utf8).withUnsafeBytes { bytes in
      SystemCall.result {
        unsafe pwrite(descriptor.number, bytes.baseAddress, bytes.count, 0)
      }
    }
    if written < 0 { brightness = nil }
    return written >= 0
  }

  /// Gives it back as it was.
  mutating func close() {
    guard isOpen else { return }
    _ = set(.off)
    if let trigger { _ = write(trigger, to: "trigger") }
    brightness = nil
  }

  /// A sixteenth is to be seen in the dark; a light that is on or off is off.
  private func level(of light: LampLight) -> Int {
    switch light {
    case .off: 0
    case .dim: most / 16
    case .bright: most
    }
  }

  private func read(_ file: String) -> String? {
    let opened = SystemCall.result {
      unsafe Glibc.open("\(folder)/\(file)", O_RDONLY | O_CLOEXEC)
    }
    guard opened >= 0 else { return nil }
    let descriptor = Descriptor(owning: Int32(opened))
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = SystemCall.result {
      unsafe Glibc.read(descriptor.number, &bytes, bytes.count)
    }
    guard count >= 0 else { return nil }
    return String(
      decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  private func write(_ text: String, to file: String) -> Bool {
    let opened = SystemCall.result {
      unsafe Glibc.open("\(folder)/\(file)", O_WRONLY | O_CLOEXEC)
    }
    guard opened >= 0 else { return false }
    let descriptor = Descriptor(owning: Int32(opened))
    return SystemCall.write(Array("\(text)\n".utf8), to: descriptor.number)
  }

  /// Of `none [timer] heartbeat` the one in brackets.
  private static func chosen(_ triggers: String) -> String? {
    triggers.split(separator: " ").first { $0.hasPrefix("[") && $0.hasSuffix("]") }
      .map { String($0.dropFirst().dropLast()) }
  }
}
