import RTP

/// The lines that this node is on, each under the number that its packets have for it.
///
/// The number of a line that was left is taken again as late as may be: packets and what is told of lines travel by
/// different ways.
struct OwnLines {
  struct Line: Hashable {
    let name: LineName
    /// Whether it is heard, as the user set it.
    var isListening = true
    /// How loud.
    var levelDecibels = 0.0
  }

  private(set) var byNumber: [Int: Line] = [0: Line(name: .all)]
  /// Numbers that no line has, the one that was left last at the end.
  private var free = Array(1..<LineSet.capacity)

  /// In the order of their numbers.
  var names: [LineName] { byNumber.sorted { $0.key < $1.key }.map(\.value.name) }

  func number(of name: LineName) -> Int? { byNumber.first { $0.value.name == name }?.key }

  func line(_ name: LineName) -> Line? { number(of: name).flatMap { byNumber[$0] } }

  /// The numbers of those lines that this node is on.
  func set(of names: some Sequence<LineName>) -> LineSet {
    names.reduce(into: []) { set, name in
      if let number = number(of: name) { set.insert(line: number) }
    }
  }

  /// Is on a line from now on; false: it is on it already.
  mutating func join(_ name: LineName) throws(LineError) -> Bool {
    guard number(of: name) == nil else { return false }
    // `all` is one more.
    guard byNumber.count <= LineLimits.ownLines else { throw .tooManyOwnLines }
    byNumber[free.removeFirst()] = Line(name: name)
    return true
  }

  mutating func leave(_ name: LineName) throws(LineError) {
    guard name != .all else { throw .cannotLeaveAll }
    guard let number = number(of: name) else { throw .notOnLine(name) }
    byNumber[number] = nil
    free.append(number)
  }

  mutating func change(_ name: LineName, _ body: (inout Line) -> Void) throws(LineError) {
    guard let number = number(of: name), var line = byNumber[number] else {
      throw .notOnLine(name)
    }
    body(&line)
    byNumber[number] = line
  }
}
