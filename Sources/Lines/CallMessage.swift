/// How a call ended at the one who was called.
public enum CallEnd: UInt8, Sendable, Hashable, CaseIterable {
  /// Somebody talked back.
  case answered = 1
  /// Nobody did.
  case cleared = 2
}

/// What a node tells one member of calls and talk between them; others are not told.
///
/// On the wire, behind what it is (4; 5 with private lines) and the version: flags (1: talks to the member alone, 2: to
/// a group of it, 4: lets no key for the sender alone latch), the number of calls, and of each its number (8 octets),
/// the length of the line's name (0: for the member alone) and the name; how many of the member's calls ended, and of
/// each its number (8) and how (1: answered, 2: cleared); the number of private lines, and each
/// (``PrivateLineTold``).
public struct CallContent: Sendable, Hashable {
  /// A call that rings.
  struct Entry: Sendable, Hashable {
    /// Of no other call of that node.
    let number: UInt64
    /// The line whose members are called; nil: the receiver.
    let line: LineName?
  }

  /// Whether the sender talks to the receiver alone, and to a group that it is in.
  var (talksAlone, talksToGroup) = (false, false)
  /// Whether no key for the sender alone may latch.
  var refusesLatch = false
  /// Calls of the sender.
  var calls: [Entry] = []
  /// Calls of the receiver that are over for the sender.
  var ended: [UInt64: CallEnd] = [:]
  /// Private lines that both are on, or are to be, or were.
  var privateLines: [PrivateLineTold] = []

  /// Nothing to tell.
  init() {}

  /// In octets.
  var octets: [UInt8] {
    let flags: UInt8 = (talksAlone ? 1 : 0) | (talksToGroup ? 2 : 0) | (refusesLatch ? 4 : 0)
    var octets = [flags, UInt8(calls.count)]
    func append(_ number: UInt64) {
      octets += (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }
    for call in calls {
      append(call.number)
      let name = call.line.map { Array($0.text.utf8) } ?? []
      octets += [UInt8(name.count)] + name
    }
    octets.append(UInt8(ended.count))
    for (number, end) in ended.sorted(by: { $0.key < $1.key }) {
      append(number)
      octets.append(end.rawValue)
    }
    guard !privateLines.isEmpty else { return octets }
    return octets + [UInt8(privateLines.count)] + privateLines.flatMap(\.octets)
  }

  /// Reads what another node wrote.
  init(_ reader: inout LineReader, hasPrivateLines: Bool) throws(LineViolation) {
    guard let flags = reader.number(1), let callCount = reader.number(1) else { throw .malformed }
    (talksAlone, talksToGroup) = (flags & 1 != 0, flags & 2 != 0)
    refusesLatch = flags & 4 != 0
    guard callCount <= LineLimits.callsToMember else { throw .tooManyCalls }
    for _ in 0..<callCount {
      guard let number = reader.number(8) else { throw .malformed }
      let line = try reader.labelOrNone()
      guard !calls.contains(where: { $0.number == number || $0.line == line }) else {
        throw .badNumber
      }
      calls.append(Entry(number: number, line: line))
    }
    guard let endedCount = reader.number(1) else { throw .malformed }
    guard endedCount <= LineLimits.callsToMember else { throw .tooManyCalls }
    for _ in 0..<endedCount {
      guard let number = reader.number(8), let how = reader.number(1) else { throw .malformed }
      // Ends of a later version mean nothing.
      guard let end = CallEnd(rawValue: UInt8(how)) else { continue }
      ended[number] = end
    }
    if hasPrivateLines { privateLines = try reader.privateLines() }
  }
}
