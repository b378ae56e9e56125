internal import Lines
internal import Remote
internal import TOMLKit

/// What is wrong with a table of lines or keys.
struct LineTableProblem: Error {
  /// `line` or `key`.
  let table: String
  let words: String
}

/// The tables `[[line]]`, `[[key]]` and `[ear]` of the configuration file.
enum LineTables {
  static let names: Set<String> = ["line", "key", "ear"]
  private static let lineFields: Set<String> = [
    "name", "listen", "level", "pan", "port", "priority", "display", "messages",
  ]
  private static let keyFields: Set<String> = [
    "name", "line", "lines", "targets", "activation", "latch", "interlock", "auto-listen",
    "auto-mute", "isolate", "voice", "midi",
  ]

  /// Reads them; each line and each key once.
  static func read(_ file: TOMLTable) throws(LineTableProblem) -> LineSettings {
    var settings = LineSettings()
    for (place, table) in try tables("line", of: file).enumerated() {
      let reader = try Reader(table, "line", place, lineFields)
      let line = try line(reader)
      guard !settings.lines.contains(where: { $0.name == line.name }) else {
        throw LineTableProblem(table: "line", words: "line \(line.name) is there twice; remove one")
      }
      settings.lines.append(line)
      try readDisplay(reader, of: line.name, into: &settings)
    }
    settings.ear = try ear(file)
    guard settings.lines.count(where: { $0.name != .all }) <= LineLimits.ownLines else {
      throw LineTableProblem(table: "line", words: "\(LineError.tooManyOwnLines)")
    }
    for (place, table) in try tables("key", of: file).enumerated() {
      let key = try key(Reader(table, "key", place, keyFields))
      guard !settings.keys.contains(where: { $0.name == key.name }) else {
        throw LineTableProblem(table: "key", words: "key \(key.name) is there twice; remove one")
      }
      settings.keys.append(key)
    }
    guard settings.keys.count <= LineLimits.keys else {
      throw LineTableProblem(table: "key", words: "\(LineError.tooManyKeys)")
    }
    return settings
  }

  /// How long the lines' messages are kept; only of lines that say so.
  static func messages(
    _ file: TOMLTable
  ) throws(LineTableProblem) -> [LineName: LineMessageDays] {
    var all: [LineName: LineMessageDays] = [:]
    for (place, table) in try tables("line", of: file).enumerated() {
      let reader = try Reader(table, "line", place, lineFields)
      guard let text = try reader.wordOrInteger("messages") else { continue }
      guard let days = LineMessageDays(text) else {
        throw reader.problem(LineMessageDays.expected)
      }
      all[try reader.label("name")] = days
    }
    return all
  }

  private static func tables(
    _ name: String, of file: TOMLTable
  ) throws(LineTableProblem) -> [TOMLTable] {
    guard let value = file[name] else { return [] }
    let tables = value.array?.compactMap(\.table) ?? []
    guard !tables.isEmpty, tables.count == value.array?.count else {
      throw LineTableProblem(
        table: name, words: "\"\(name)\" must be tables, each headed [[\(name)]]")
    }
    return tables
  }

  private static func line(_ reader: Reader) throws(LineTableProblem) -> LineSettings.Line {
    let name = try reader.label("name")
    let level = try reader.number("level") ?? 0
    guard LineLimits.levelDecibels.contains(level) else {
      throw reader.problem("\(LineError.badLevel(level))")
    }
    return LineSettings.Line(
      name: name, isListening: try reader.boolean("listen") ?? true, levelDecibels: level)
  }

  private static func readDisplay(
    _ reader: Reader, of line: LineName, into settings: inout LineSettings
  ) throws(LineTableProblem) {
    guard let text = try reader.text("display") else { return }
    do throws(LineError) {
      settings.displays.updateValue(try Label.display(text), forKey: line)
    } catch {
      throw reader.problem("\(error)")
    }
  }

  /// The table `[ear]`, and the lines' priorities.
  private static func ear(_ file: TOMLTable) throws(LineTableProblem) -> EarSettings {
    var (changes, priorities): ([String: String], [LineName: Int]) = ([:], [:])
    var (pans, ports): ([LineName: Double], [LineName: Bool]) = ([:], [:])
    if let value = file["ear"] {
      guard let table = value.table else {
        throw LineTableProblem(table: "ear", words: "\"ear\" must be a table: [ear]")
      }
      for (field, value) in table {
        guard let text = value.earText else {
          throw LineTableProblem(table: "ear", words: "\(field) must be a number or a word")
        }
        changes[field] = text
      }
    }
    for (place, table) in try tables("line", of: file).enumerated() {
      let reader = try Reader(table, "line", place, lineFields)
      priorities[try reader.label("name")] = try reader.integer("priority")
      pans[try reader.label("name")] = try reader.number("pan")
      ports[try reader.label("name")] = try reader.boolean("port")
      guard ports.values.count(where: \.self) <= LineLimits.ports else {
        throw reader.problem("\(LineLimits.ports) lines can have ports; that is one more")
      }
    }
    do throws(LineError) {
      return try EarSettings(changes, priorities: priorities, pans: pans, ports: ports)
    } catch {
      throw LineTableProblem(table: changes.isEmpty ? "line" : "ear", words: "\(error)")
    }
  }

  private static func key(_ reader: Reader) throws(LineTableProblem) -> Key {
    let name = try reader.label("name")
    let targets = try reader.texts("targets")
    var lines = try reader.texts("lines") ?? (targets == nil ? [name.text] : [])
    if let line = try reader.text("line") { lines = [line] }
    var setting = KeySetting(name: name.text, lines: lines)
    setting.targets = targets
    setting.activation = try reader.text("activation")
    setting.latchMilliseconds = try reader.integer("latch")
    setting.interlock = try reader.integer("interlock")
    setting.autoListen = try reader.boolean("auto-listen")
    setting.autoMute = try reader.boolean("auto-mute")
    setting.isolate = try reader.boolean("isolate")
    setting.voice = try reader.text("voice")
    setting.midi = try reader.text("midi")
    do throws(LineError) {
      return try Key(setting)
    } catch {
      throw reader.problem("\(error)")
    }
  }

  /// The tables as they are read.
  static func text(
    _ settings: LineSettings, messages: [LineName: LineMessageDays]
  ) -> String {
    var lines: [String] = []
    for line in settings.lines {
      lines += [
        "", "[[line]]", "name = \(ConfigurationText.quoted(line.name.text))",
        "listen = \(line.isListening)", "level = \(line.levelDecibels)",
      ]
      // What a file does not say stays as commands set it.
      let (ear, said) = (settings.ear, settings.ear.said)
      if said.pans.contains(line.name) { lines.append("pan = \(ear.pan(of: line.name))") }
      if said.ports.contains(line.name) { lines.append("port = \(ear.hasPort(line.name))") }
      if said.priorities.contains(line.name) {
        lines.append("priority = \(ear.priority(of: line.name))")
      }
      if let display = settings.displays[line.name] {
        lines.append("display = \(ConfigurationText.quoted(display?.text ?? ""))")
      }
      if let days = messages[line.name] { lines.append("messages = \(days.text)") }
    }
    for key in settings.keys {
      func list(_ texts: [String]) -> String {
        "[\(texts.map { ConfigurationText.quoted($0) }.joined(separator: ", "))]"
      }
      lines += [
        "", "[[key]]", "name = \(ConfigurationText.quoted(key.name.text))",
        "lines = \(list(key.targets.compactMap(\.line?.text)))",
        "targets = \(list(key.targets.filter { $0.line == nil }.map { "\($0)" }))",
        "activation = \"\(key.activation.rawValue)\"", "latch = \(key.latchMilliseconds)",
      ]
      if let group = key.interlock { lines.append("interlock = \(group)") }
      lines += [
        "auto-listen = \(key.listensWhileTalking)", "auto-mute = \(key.mutesWhileTalking)",
        "isolate = \(key.isolates)", "voice = \"\(key.sendsUntreated ? "off" : "on")\"",
      ]
      if let control = key.midi { lines.append("midi = \"\(control)\"") }
    }
    let set = settings.ear.setNames
    if !set.isEmpty {
      lines += ["", "[ear]"]
      lines += set.map { name in
        let text = settings.ear.text(of: name)
        return "\(name.rawValue) = \(Double(text) == nil ? "\"\(text)\"" : text)"
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension TOMLValueConvertible {
  /// A number or a word as it is written; nil: it is neither.
  fileprivate var earText: String? {
    if let text = string { return text }
    if let number = int { return "\(number)" }
    if let number = double { return "\(number)" }
    return bool.map { $0 ? "on" : "off" }
  }
}

/// One table, its fields by name.
private struct Reader {
  private let table: TOMLTable
  private let name: String
  private let place: Int

  init(
    _ table: TOMLTable, _ name: String, _ place: Int, _ known: Set<String>
  ) throws(LineTableProblem) {
    (self.table, self.name, self.place) = (table, name, place)
    guard let unknown = table.keys.sorted().first(where: { !known.contains($0) }) else { return }
    let near = NearestWord.find(unknown, among: known.sorted())
    throw problem(
      "unknown field \"\(unknown)\"" + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
  }

  /// A problem of this table.
  func problem(_ words: String) -> LineTableProblem {
    LineTableProblem(table: name, words: "\(name) \(place + 1): \(words)")
  }

  func label(_ field: String) throws(LineTableProblem) -> Label {
    guard let text = try text(field) else { throw problem("\(field) is missing") }
    do throws(LineError) { return try Label(text) } catch { throw problem("\(error)") }
  }

  func text(_ field: String) throws(LineTableProblem) -> String? {
    try value(field, "text in quotes") { $0.string }
  }

  func texts(_ field: String) throws(LineTableProblem) -> [String]? {
    try value(field, "a list of texts, [\"…\", \"…\"]") { value in
      let texts = value.array?.compactMap(\.string)
      return texts?.count == value.array?.count ? texts : nil
    }
  }

  func boolean(_ field: String) throws(LineTableProblem) -> Bool? {
    try value(field, "true or false") { $0.bool }
  }

  func integer(_ field: String) throws(LineTableProblem) -> Int? {
    try value(field, "a whole number") { $0.int }
  }

  func wordOrInteger(_ field: String) throws(LineTableProblem) -> String? {
    try value(field, "a whole number or text in quotes") { $0.string ?? $0.int.map { "\($0)" } }
  }

  func number(_ field: String) throws(LineTableProblem) -> Double? {
    try value(field, "a number") { $0.double ?? $0.int.map(Double.init) }
  }

  private func value<Value>(
    _ field: String, _ expected: String, _ body: (any TOMLValueConvertible) -> Value?
  ) throws(LineTableProblem) -> Value? {
    guard let given = table[field] else { return nil }
    guard let value = body(given) else { throw problem("\(field) must be \(expected)") }
    return value
  }
}
