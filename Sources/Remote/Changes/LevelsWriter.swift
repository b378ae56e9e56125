import StatusSchema

/// Writes what changed of levels as a merge patch, octet by octet: a tree is too dear 20 times a second.
///
/// An object without members leaves no trace; names come in the order of their octets, as in ``JSONTree/line``.
struct LevelsWriter {
  private var bytes = [UInt8(ascii: "{")]
  /// Whether something is in the object that is open, so that a comma goes before what follows.
  private var hasMembers = false

  init(octets: Int) { bytes.reserveCapacity(octets) }

  /// The patch, with a line end.
  consuming func finish() -> [UInt8] {
    bytes += "}\n".utf8
    return bytes
  }

  /// Adds an object, where `body` adds something to it.
  ///
  /// - Parameter name: quoted.
  mutating func addObject(_ name: [UInt8], _ body: (inout LevelsWriter) -> Void) {
    let (start, hadMembers) = (bytes.count, hasMembers)
    begin(name)
    bytes.append(UInt8(ascii: "{"))
    hasMembers = false
    body(&self)
    if hasMembers {
      bytes.append(UInt8(ascii: "}"))
    } else {
      bytes.removeSubrange(start...)
      hasMembers = hadMembers
    }
  }

  /// Adds a flag where it changed.
  mutating func add(_ name: [UInt8], _ isTrue: Bool, instead former: Bool) {
    guard isTrue != former else { return }
    begin(name)
    bytes += isTrue ? Self.yes : Self.no
  }

  /// Adds a level where it changed, which is told to a tenth.
  mutating func add(_ name: [UInt8], _ levelDBFS: Double, instead former: Double) {
    guard levelDBFS != former else { return }
    begin(name)
    write(levelDBFS)
  }

  /// Adds levels, all of them where one changed.
  mutating func add(_ name: [UInt8], _ levels: [Double], instead former: [Double]) {
    guard levels != former else { return }
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for (place, level) in levels.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      write(level)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ levelDBFS: Double) {
    let tenths = levelDBFS.isFinite ? Int(max(-1e6, min(levelDBFS * 10, 1e6)).rounded()) : 0
    if tenths < 0 { bytes.append(UInt8(ascii: "-")) }
    let (whole, tenth) = abs(tenths).quotientAndRemainder(dividingBy: 10)
    for power in [100_000, 10_000, 1000, 100, 10] where whole >= power {
      bytes.append(UInt8(ascii: "0") + UInt8(whole / power % 10))
    }
    bytes += [
      UInt8(ascii: "0") + UInt8(whole % 10), UInt8(ascii: "."), UInt8(ascii: "0") + UInt8(tenth),
    ]
  }

  private mutating func begin(_ name: [UInt8]) {
    if hasMembers { bytes.append(UInt8(ascii: ",")) }
    hasMembers = true
    bytes += name
    bytes.append(UInt8(ascii: ":"))
  }

  private static let yes = Array("true".utf8)
  private static let no = Array("false".utf8)
}
