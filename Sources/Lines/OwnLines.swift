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
  /// What displays show for lines, where the user said so.
  private(set) var displays: [LineName: Label] = [:]
  /// Private lines have no number: they have streams of their own.
  private(set) var privateLines: [LineName: Line] = [:]
  /// The places of private lines, behind all numbers.
  private var privatePlaces: [LineName: Int] = [:]
  private var freePlaces = Array(LineSet.capacity..<2 * LineSet.capacity)
  /// Numbers that no line has, the one that was left last at the end.
  private var free = Array(1..<LineSet.announcementNumber)

  /// In the order of their numbers.
  var names: [LineName] {
    byNumber.sorted { $0.key < $1.key }.map(\.value.name) + privateLines.keys.sorted()
  }

  func number(of name: LineName) -> Int? { byNumber.first { $0.value.name == name }?.key }

  func line(_ name: LineName) -> Line? {
    privateLines[name] ?? number(of: name).flatMap { byNumber[$0] }
  }

  /// The lines by place: a number that no two lines have, and that is taken again as late as may be.
  var places: [Int: LineName] {
    var places = byNumber.mapValues(\.name)
    for (name, place) in privatePlaces { places[place] = name }
    return places
  }

  func place(of name: LineName) -> Int? { privatePlaces[name] ?? number(of: name) }

  /// Whether this node is on a line.
  func has(_ name: LineName) -> Bool { line(name) != nil }

  /// The numbers of those lines that this node is on.
  func set(of names: some Sequence<LineName>) -> LineSet {
    names.reduce(into: []) { set, name in
      if let number = number(of: name) { set.insert(line: number) }
    }
  }

  /// Is on a line from now on; false: it is on it already.
  mutating func join(_ name: LineName) throws(LineError) -> Bool {
    guard !has(name) else { return false }
    try checkRoom()
    byNumber[free.removeFirst()] = Line(name: name)
    return true
  }

  /// Is on a private line from now on.
  mutating func joinPrivate(_ name: LineName) throws(LineError) {
    guard !has(name) else { throw .lineExists(name) }
    try checkRoom()
    privateLines[name] = Line(name: name)
    privatePlaces[name] = freePlaces.removeFirst()
  }

  private func checkRoom() throws(LineError) {
    // `all` is one more.
    guard byNumber.count + privateLines.count <= LineLimits.ownLines else {
      throw .tooManyOwnLines
    }
  }

  mutating func leave(_ name: LineName) throws(LineError) {
    guard name != .all else { throw .cannotLeaveAll }
    displays[name] = nil
    if let place = privatePlaces.removeValue(forKey: name) {
      privateLines[name] = nil
      freePlaces.append(place)
      return
    }
    guard let number = number(of: name) else { throw .notOnLine(name) }
    byNumber[number] = nil
    free.append(number)
  }

  /// Sets what displays show for a line; nil: the first of its name.
  mutating func setDisplay(_ display: Label?, of name: LineName) throws(LineError) {
    guard has(name) else { throw .notOnLine(name) }
    displays[name] = display
  }

  mutating func change(_ name: LineName, _ body: (inout Line) -> Void) throws(LineError) {
    if var line = privateLines[name] {
      body(&line)
      privateLines[name] = line
      return
    }
    guard let number = number(of: name), var line = byNumber[number] else {
      throw .notOnLine(name)
    }
    body(&line)
    byNumber[number] = line
  }
}
