internal import Lines
internal import TOMLKit

/// What a TOML file sets.
struct ConfigurationFile {
  /// One setting of the file.
  struct Entry {
    let setting: Setting
    let value: SettingValue
    let line: Int?
  }

  /// The settings in the order of ``Setting``.
  let entries: [Entry]
  /// The lines and keys.
  let lines: LineSettings
  /// How long messages of these lines are kept.
  let lineMessages: [LineName: LineMessageDays]

  /// Reads the text of the file at `path` (which is only named in errors).
  init(text: String, path: String) throws(DaemonError) {
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw .file(
        path: path, line: error.source.begin.line, words: "not TOML: \(error.description)")
    } catch {
      throw .file(path: path, line: nil, words: "not TOML")
    }
    let lines = KeyLines.find(in: text)
    // In the order of the lines, so that the first mistake is the one that is told.
    let keys = table.keys.sorted { (lines[$0] ?? 0, $0) < (lines[$1] ?? 0, $1) }
    var entries: [Entry] = []
    do throws(LineTableProblem) {
      self.lines = try LineTables.read(table)
      lineMessages = try LineTables.messages(table)
    } catch {
      throw .file(path: path, line: lines[error.table], words: error.words)
    }
    for key in keys where !LineTables.names.contains(key) {
      let place = Place(path: path, line: lines[key])
      if Setting.tables.contains(key) {
        entries += try Self.entries(ofTable: key, table[key], lines, at: place)
        continue
      }
      guard let setting = Setting(rawValue: key), setting.table == nil else {
        throw .file(path: path, line: place.line, words: Self.unknown(key))
      }
      entries.append(try Self.entry(setting, table[key], at: place))
    }
    self.entries = entries
  }

  /// Where something stands.
  private struct Place {
    let path: String
    var line: Int?
  }

  private static func entries(
    ofTable name: String, _ value: (any TOMLValueConvertible)?, _ lines: [String: Int],
    at place: Place
  ) throws(DaemonError) -> [Entry] {
    guard let table = value?.table else {
      throw .file(
        path: place.path, line: place.line, words: "\"\(name)\" must be a table: [\(name)]")
    }
    let keys = table.keys.map { (key: $0, line: lines["\(name).\($0)"] ?? place.line) }
    var entries: [Entry] = []
    for (key, line) in keys.sorted(by: { ($0.line ?? 0, $0.key) < ($1.line ?? 0, $1.key) }) {
      guard let setting = Setting(rawValue: "\(name)-\(key)") else {
        let known = Setting.allCases.filter { $0.table == name }.map(\.key)
        let near = NearestWord.find(key, among: known)
        throw .file(
          path: place.path, line: line,
          words: "unknown key \"\(key)\" in [\(name)]"
            + (near.map { "; did you mean \"\($0)\"?" }
              ?? "; it takes \(known.joined(separator: ", "))"))
      }
      entries.append(try entry(setting, table[key], at: Place(path: place.path, line: line)))
    }
    return entries
  }

  private static func entry(
    _ setting: Setting, _ value: (any TOMLValueConvertible)?, at place: Place
  ) throws(DaemonError) -> Entry {
    guard let value = value.flatMap({ Self.value($0, for: setting) }) else {
      throw .setting(
        setting, origin: .file(path: place.path, line: place.line),
        words: SettingProblem.wrongType(expected: SettingValue.words(for: setting)).words)
    }
    return Entry(setting: setting, value: value, line: place.line)
  }

  private static func unknown(_ key: String) -> String {
    if key == "config" || key == "print-config" {
      return "\"\(key)\" is a flag only; remove it from the file"
    }
    if let setting = Setting(rawValue: key), let table = setting.table {
      return "\"\(key)\" is a flag only; write \(setting.key) in the table [\(table)]"
    }
    let opposite = key.hasPrefix("no-") ? String(key.dropFirst(3)) : "no-\(key)"
    if Setting(rawValue: opposite) != nil {
      return "unknown key \"\(key)\"; did you mean \"\(opposite)\", its opposite?"
    }
    let near = NearestWord.find(key, among: Setting.allCases.filter { $0.table == nil }.map(\.key))
    return "unknown key \"\(key)\"" + (near.map { "; did you mean \"\($0)\"?" } ?? "")
  }

  /// The value if it is of the setting's type.
  ///
  /// Whole numbers will do for numbers, one text for a list.
  private static func value(
    _ value: any TOMLValueConvertible, for setting: Setting
  ) -> SettingValue? {
    switch (setting.kind, value.type) {
    case (.text, .string): value.string.map { .text($0) }
    case (.numberOrAuto, .string) where value.string == "auto": .text("auto")
    case (.numberOrOff, .string) where value.string == "off": .text("off")
    case (.list, .string): value.string.map { .list([$0]) }
    case (.list, .array): value.array.flatMap(texts).map { .list($0) }
    case (.integer, .int): value.int.map { .integer($0) }
    case (.number, .int), (.numberOrAuto, .int), (.numberOrOff, .int):
      value.int.map { .number(Double($0)) }
    case (.number, .double), (.numberOrAuto, .double), (.numberOrOff, .double):
      value.double.flatMap { $0.isFinite ? .number($0) : nil }
    case (.word, .string): value.string.map { .text($0) }
    case (.word, .int): value.int.map { .text("\($0)") }
    case (.word, .double): value.double.map { .text("\($0)") }
    case (.boolean, .bool): value.bool.map { .boolean($0) }
    default: nil
    }
  }

  private static func texts(_ array: TOMLArray) -> [String]? {
    let texts = array.compactMap(\.string)
    return texts.count == array.count ? texts : nil
  }
}
