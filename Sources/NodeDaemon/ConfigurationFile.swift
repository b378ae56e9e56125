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
    } catch {
      throw .file(path: path, line: lines[error.table], words: error.words)
    }
    for key in keys where !LineTables.names.contains(key) {
      let line = lines[key]
      guard let setting = Setting(rawValue: key) else {
        throw .file(path: path, line: line, words: Self.unknown(key))
      }
      guard let value = table[key].flatMap({ Self.value($0, for: setting) }) else {
        throw .setting(
          setting, origin: .file(path: path, line: line),
          words: SettingProblem.wrongType(expected: SettingValue.words(for: setting)).words)
      }
      entries.append(Entry(setting: setting, value: value, line: line))
    }
    self.entries = entries
  }

  private static func unknown(_ key: String) -> String {
    if key == "config" || key == "print-config" {
      return "\"\(key)\" is a flag only; remove it from the file"
    }
    let opposite = key.hasPrefix("no-") ? String(key.dropFirst(3)) : "no-\(key)"
    if Setting(rawValue: opposite) != nil {
      return "unknown key \"\(key)\"; did you mean \"\(opposite)\", its opposite?"
    }
    let near = NearestWord.find(key, among: Setting.allCases.map(\.rawValue))
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
    case (.boolean, .bool): value.bool.map { .boolean($0) }
    default: nil
    }
  }

  private static func texts(_ array: TOMLArray) -> [String]? {
    let texts = array.compactMap(\.string)
    return texts.count == array.count ? texts : nil
  }
}
