internal import KeyDevices
internal import Keys
internal import TOMLKit

/// What is wrong with a `keys.toml`.
struct KeysFileError: Error, Hashable, CustomStringConvertible {
  let path: String
  let line: Int?
  let words: String

  var description: String { path + (line.map { ":\($0)" } ?? "") + ": " + words }
}

/// The panel that a `keys.toml` describes.
struct KeysFile {
  /// The most buttons, lamps and relays each.
  static let mostEntries = 64
  /// The kinds of tables.
  static let kinds = ["button", "lamp", "relay"]

  private(set) var settings = PanelSettings()
  private let path: String
  private let text: String

  /// Reads the text of the file at `path` (which is only named in errors).
  init(text: String, path: String) throws(KeysFileError) {
    (self.text, self.path) = (text, path)
    let table = try parsed()
    for key in table.keys.sorted() where key != "bounce" && !Self.kinds.contains(key) {
      throw error("unknown key \"\(key)\"; there are bounce, [[button]], [[lamp]] and [[relay]]")
    }
    if let bounce = table["bounce"] {
      let range = PanelSettings.bounceRange
      guard let milliseconds = Entry.number(bounce),
        range.contains(.milliseconds(milliseconds))
      else {
        throw error(
          "bounce must be a number of milliseconds, 0 to \(range.upperBound / .milliseconds(1))")
      }
      settings.bounce = .milliseconds(milliseconds)
    }
    for entry in try entries("button", in: table) { settings.buttons.append(try entry.button()) }
    for entry in try entries("lamp", in: table) { settings.lamps.append(try entry.lamp()) }
    for entry in try entries("relay", in: table) { settings.relays.append(try entry.relay()) }
    try checkLines()
  }

  private func parsed() throws(KeysFileError) -> TOMLTable {
    do {
      return try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw KeysFileError(
        path: path, line: error.source.begin.line, words: "not TOML: \(error.description)")
    } catch {
      throw KeysFileError(path: path, line: nil, words: "not TOML")
    }
  }

  private func entries(_ kind: String, in table: TOMLTable) throws(KeysFileError) -> [Entry] {
    guard let value = table[kind] else { return [] }
    let tables = value.array.map { $0.compactMap(\.table) } ?? []
    guard let array = value.array, tables.count == array.count else {
      throw error("\(kind) must be tables: write [[\(kind)]] above each", kind)
    }
    guard tables.count <= Self.mostEntries else {
      throw error("at most \(Self.mostEntries) of [[\(kind)]]", kind, Self.mostEntries)
    }
    return tables.enumerated().map { number, table in
      Entry(table: table, kind: kind, line: line(of: kind, number), path: path)
    }
  }

  /// A line cannot be two things.
  private func checkLines() throws(KeysFileError) {
    var used: [String: String] = [:]
    var lines: [(String, Int, LineSettings)] = []
    for (number, button) in settings.buttons.enumerated() {
      if case .line(let line) = button.contact { lines.append(("button", number, line)) }
    }
    for (number, lamp) in settings.lamps.enumerated() {
      if case .line(let line) = lamp.place { lines.append(("lamp", number, line)) }
    }
    for (number, relay) in settings.relays.enumerated() {
      lines.append(("relay", number, relay.line))
    }
    for (kind, number, line) in lines {
      if let former = used.updateValue("\(kind) \(number + 1)", forKey: line.words) {
        throw error(
          "\(line.words) is \(former) and \(kind) \(number + 1): a line can be one thing only",
          kind, number)
      }
    }
  }

  /// The line of the head of a table; 1 is the first.
  private func line(of kind: String, _ number: Int) -> Int? {
    var rest = number
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      guard line.filter({ !$0.isWhitespace }).hasPrefix("[[\(kind)]]") else { continue }
      if rest == 0 { return index + 1 }
      rest -= 1
    }
    return nil
  }

  private func error(_ words: String, _ kind: String = "", _ number: Int = 0) -> KeysFileError {
    KeysFileError(path: path, line: kind.isEmpty ? nil : line(of: kind, number), words: words)
  }
}

/// One table of the file.
private struct Entry {
  static let mostNameBytes = 64

  let table: TOMLTable
  let kind: String
  let line: Int?
  let path: String

  func button() throws(KeysFileError) -> ButtonSettings {
    try allow(["key", "gpio", "chip", "pull", "active", "device", "code", "grab"])
    let key = try name("key")
    switch (table["gpio"] != nil, table["device"] != nil) {
    case (true, false):
      try forbid(["code", "grab"], "goes with device, not with gpio")
      let pull = try word("pull", LineSettings.Pull.self) ?? .up
      var line = try gpio(isActiveLow: try isActiveLow(usually: pull != .down))
      line.pull = pull
      return ButtonSettings(key: key, contact: .line(line))
    case (false, true):
      try forbid(["chip", "pull", "active"], "goes with gpio, not with device")
      return ButtonSettings(key: key, contact: .input(try input()))
    default: throw error("give gpio, or device and code: where the button is")
    }
  }

  func lamp() throws(KeysFileError) -> LampSettings {
    try allow(["key", "shows", "led", "gpio", "chip", "active"])
    var lamp: LampSettings
    switch (table["gpio"] != nil, table["led"] != nil) {
    case (true, false):
      let line = try gpio(isActiveLow: try isActiveLow(usually: false))
      lamp = LampSettings(key: try name("key"), place: .line(line))
    case (false, true):
      try forbid(["chip", "active"], "goes with gpio, not with led")
      lamp = LampSettings(key: try name("key"), place: .light(try name("led")))
    default: throw error("give gpio or led: where the lamp is")
    }
    lamp.shown = try word("shows", LampSettings.Shown.self) ?? .all
    return lamp
  }

  func relay() throws(KeysFileError) -> RelaySettings {
    try allow(["follows", "key", "hold", "gpio", "chip", "active"])
    guard let cause = try word("follows", RelaySettings.Cause.self) else {
      throw error("follows is missing: \(Self.words(RelaySettings.Cause.self))")
    }
    let line = try gpio(isActiveLow: try isActiveLow(usually: false))
    var relay = RelaySettings(cause: cause, line: line)
    if table["key"] != nil {
      guard cause != .announcement else { throw error("an announcement has no key: remove key") }
      relay.key = try name("key")
    }
    if let hold = table["hold"] {
      let range = RelaySettings.holdRange
      guard let seconds = Self.number(hold), range.contains(.seconds(seconds)) else {
        throw error("hold must be seconds, 0 to \(range.upperBound / .seconds(1))")
      }
      relay.hold = .seconds(seconds)
    }
    return relay
  }

  private func input() throws(KeysFileError) -> InputSettings {
    let device = try name("device", most: 255)
    guard let value = table["code"] else {
      throw error("code is missing: comlink keys learn tells what a pressed key is called")
    }
    guard let code = value.string.flatMap(KeyCode.code) else {
      throw error("code must be the name of a key, such as KEY_B; comlink keys learn tells it")
    }
    var input = InputSettings(device: device, code: code)
    if let grab = table["grab"] {
      guard let isGrabbed = grab.bool else { throw error("grab must be true or false") }
      input.isGrabbed = isGrabbed
    }
    return input
  }

  private func gpio(isActiveLow: Bool) throws(KeysFileError) -> LineSettings {
    let chip = table["chip"] == nil ? nil : try name("chip", most: 31)
    if let number = table["gpio"]?.int {
      guard let offset = UInt32(exactly: number), let chip else {
        throw error("gpio is a number, which needs chip; better give the line's name: \"GPIO17\"")
      }
      return LineSettings(offset: offset, chip: chip, isActiveLow: isActiveLow)
    }
    guard table["gpio"] != nil else { throw error("gpio is missing: the line's name") }
    var line = LineSettings(name: try name("gpio", most: 31), isActiveLow: isActiveLow)
    line.chip = chip
    return line
  }

  private func isActiveLow(usually: Bool) throws(KeysFileError) -> Bool {
    guard let value = table["active"] else { return usually }
    switch value.string {
    case "low": return true
    case "high": return false
    default: throw error("active must be \"low\" or \"high\"")
    }
  }

  /// A text that is not empty, not too long and on one line.
  private func name(
    _ key: String, most: Int = mostNameBytes
  ) throws(KeysFileError) -> String {
    guard let value = table[key] else { throw error("\(key) is missing") }
    guard let text = value.string, !text.isEmpty, text.utf8.count <= most,
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { throw error("\(key) must be a text of 1 to \(most) octets on one line") }
    return text
  }

  private func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ type: Word.Type
  ) throws(KeysFileError) -> Word? {
    guard let value = table[key] else { return nil }
    guard let word = value.string.flatMap(Word.init(rawValue:)) else {
      throw error("\(key) must be \(Self.words(type))")
    }
    return word
  }

  private static func words<Word: RawRepresentable<String> & CaseIterable>(
    _ type: Word.Type
  ) -> String {
    type.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
  }

  static func number(_ value: any TOMLValueConvertible) -> Double? {
    value.int.map(Double.init) ?? value.double.flatMap { $0.isFinite ? $0 : nil }
  }

  private func allow(_ keys: [String]) throws(KeysFileError) {
    for key in table.keys.sorted() where !keys.contains(key) {
      throw error("unknown key \"\(key)\"; a \(kind) has \(keys.joined(separator: ", "))")
    }
  }

  private func forbid(_ keys: [String], _ words: String) throws(KeysFileError) {
    for key in keys where table[key] != nil { throw error("\(key) \(words)") }
  }

  private func error(_ words: String) -> KeysFileError {
    KeysFileError(path: path, line: line, words: "\(kind): \(words)")
  }
}
