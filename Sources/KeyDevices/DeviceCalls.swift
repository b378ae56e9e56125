internal import CEvdev
internal import CGPIO
internal import Glibc
internal import Keys
internal import System

/// The calls by which devices are opened and asked; a test has answers of its own.
///
/// Numbers are results as ``SystemCall/result(_:)`` has them: below 0 is an error number.
public struct DeviceCalls: Sendable {
  /// Opens a device for reading without waiting; GPIO chips too.
  var open: @Sendable (_ path: String) -> Int
  /// An input device's name; nil: it is none.
  var inputName: @Sendable (_ device: Int32) -> String?
  /// Which of its keys are down.
  var keysDown: @Sendable (_ device: Int32) -> KeySet?
  /// Which keys it has.
  var keys: @Sendable (_ device: Int32) -> KeySet?
  /// Takes it for this process alone, or gives it back.
  var grab: @Sendable (_ device: Int32, _ isTaken: Bool) -> Int
  /// A chip's label and number of lines.
  var chip: @Sendable (_ chip: Int32) -> (label: String, lineCount: UInt32)?
  /// A line of a chip.
  var line: @Sendable (_ chip: Int32, _ offset: UInt32) -> LineFacts?
  /// Asks for a line: its descriptor.
  var request: @Sendable (_ chip: Int32, _ offset: UInt32, _ use: LineUse) -> Int
  /// Whether a line is active: 1 or 0.
  var isActive: @Sendable (_ line: Int32) -> Int
  /// Makes an output active or not.
  var set: @Sendable (_ line: Int32, _ isActive: Bool) -> Int

  /// Those of this kernel.
  public static let ofThisKernel = DeviceCalls(
    open: { path in
      SystemCall.result { unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    },
    inputName: { device in
      var name = [CChar](repeating: 0, count: 256)
      let length = unsafe evdev_name(device, &name, 256)
      // Before the first event, so that all are counted by one clock.
      _ = evdev_use_monotonic_clock(device)
      return length < 0 ? nil : text(name)
    },
    keysDown: { device in unsafe keySet { bits in unsafe evdev_keys_down(device, bits) } },
    keys: { device in unsafe keySet { bits in unsafe evdev_keys(device, bits) } },
    grab: { device, isTaken in Int(evdev_grab(device, isTaken ? 1 : 0)) },
    chip: { chip in
      var facts = gpio_chip()
      guard unsafe gpio_chip(chip, &facts) == 0 else { return nil }
      return (text(of: facts.label), facts.line_count)
    },
    line: { chip, offset in
      var facts = gpio_line()
      guard unsafe gpio_line(chip, offset, &facts) == 0 else { return nil }
      return LineFacts(
        name: text(of: facts.name), consumer: text(of: facts.consumer),
        isUsed: facts.bits & UInt32(GPIO_IS_USED) != 0,
        isOutput: facts.bits & UInt32(GPIO_IS_OUTPUT) != 0)
    },
    request: { chip, offset, use in
      Int(unsafe gpio_request(chip, offset, use.bits, "comlink-keys"))
    },
    isActive: { Int(gpio_is_active($0)) },
    set: { Int(gpio_set($0, $1 ? 1 : 0)) })

  private static func keySet(_ ask: (UnsafeMutablePointer<UInt8>?) -> Int32) -> KeySet? {
    var bits = [UInt8](repeating: 0, count: Int(EVDEV_KEY_COUNT) / 8)
    let result = unsafe bits.withUnsafeMutableBufferPointer { unsafe ask($0.baseAddress) }
    return result < 0 ? nil : KeySet(bits: bits)
  }

  /// A C string in an array, whatever its encoding.
  private static func text(_ name: [CChar]) -> String {
    String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A C string in a tuple of 32.
  private static func text<Name>(of name: Name) -> String {
    unsafe withUnsafeBytes(of: name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// Keys of an input device.
struct KeySet: Sendable, Hashable {
  /// A bit for each code, the lowest first.
  private let bits: [UInt8]

  init(bits: [UInt8]) { self.bits = bits }

  /// A set of a few; for tests.
  init(_ codes: Set<UInt16>) {
    bits = (0..<UInt16(EVDEV_KEY_COUNT) / 8).map { octet in
      (0..<8).reduce(UInt8(0)) { codes.contains(octet * 8 + $1) ? $0 | 1 << $1 : $0 }
    }
  }

  /// Whether a key is among them.
  func contains(_ code: UInt16) -> Bool {
    let octet = Int(code / 8)
    return octet < bits.count && bits[octet] & (1 << (code % 8)) != 0
  }

  /// Whether there is none.
  var isEmpty: Bool { bits.allSatisfy { $0 == 0 } }
}

/// What a line of a chip is.
struct LineFacts: Sendable, Hashable {
  var name: String
  var consumer = ""
  var isUsed = false
  var isOutput = false
}

/// What a line is asked for.
struct LineUse: Sendable, Hashable {
  var isOutput = false
  var isActiveLow = false
  /// An input's.
  var pull = LineSettings.Pull.none

  /// As ``gpio_request`` has it.
  fileprivate var bits: UInt32 {
    let pulls = [
      LineSettings.Pull.up: GPIO_PULL_UP, .down: GPIO_PULL_DOWN, .none: GPIO_PULL_NONE,
    ]
    let low = isActiveLow ? UInt32(GPIO_IS_ACTIVE_LOW) : 0
    // An output's own.
    guard !isOutput else { return low | UInt32(GPIO_IS_OUTPUT) }
    return low | UInt32(pulls[pull] ?? GPIO_PULL_NONE)
  }
}

/// Names of the keys of input devices (input-event-codes.h).
public enum KeyCode {
  /// The name of a code, `KEY_PLAYPAUSE`; of one that has none here its number.
  public static func name(of code: UInt16) -> String {
    guard let name = unsafe evdev_key_name(code) else { return "\(code)" }
    return unsafe String(cString: name)
  }

  /// The code of a name; nil: it is none.
  public static func code(of name: String) -> UInt16? {
    codes[name] ?? UInt16(name).flatMap { $0 < UInt16(EVDEV_KEY_COUNT) ? $0 : nil }
  }

  private static let codes: [String: UInt16] = {
    var codes: [String: UInt16] = [:]
    for code in 0..<UInt16(EVDEV_KEY_COUNT) {
      if let name = unsafe evdev_key_name(code) { codes[unsafe String(cString: name)] = code }
    }
    return codes
  }()
}
