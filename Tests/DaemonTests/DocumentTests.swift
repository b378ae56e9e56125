import ArgumentParser
import Foundation
import Testing

@testable import NodeDaemon
@testable import comlink_keys

/// The tables of docs/ against the programs that they describe.
@Suite(.timeLimit(.minutes(1))) struct DocumentTests {
  /// Defaults that depend on the machine and the user: the document has them in words.
  private static let places: Set<Setting> = [.name, .control, .state, .pluginSocket]
  /// What the command line takes beside settings.
  private static let others = ["--config FILE", "--print-config", "--version", "--help"]

  /// The cells of all tables below a heading, up to the next of its rank, without their heads.
  private static func rows(of name: String, below heading: String) throws -> [[String]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/\(name)").standardized
    let lines = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex { $0 == heading })
    let rank = heading.prefix { $0 == "#" } + " "
    let section = lines[(begin + 1)...].prefix { !$0.hasPrefix(rank) }
    return section.indices.dropFirst().filter { section[$0].hasPrefix("| `") }
      .map { cells(of: section[$0]) }
  }

  private static func cells(of row: Substring) -> [String] {
    row.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false)
      .dropFirst().map {
        $0.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
      }
  }

  /// How the document writes a value that a setting has when nothing sets it.
  private static func text(of value: SettingValue) -> String {
    switch value {
    case .text(""), .list([]): "none"
    case .text(let text): "`\(text)`"
    case .boolean(let isOn): isOn ? "on" : "off"
    case .list, .integer, .number: "\(value)".trimmingCharacters(in: ["\""])
    }
  }

  @Test func `docs/station.md has each flag once, as the command line takes it`() throws {
    let flags = try Self.rows(of: "station.md", below: "## Settings").map { $0[0] }
    let settings = Setting.allCases.map { setting in
      ["--\(setting.rawValue)", setting.placeholder].filter { !$0.isEmpty }
        .joined(separator: " ")
    }
    #expect(flags.sorted() == (settings + Self.others).map { "`\($0)`" }.sorted())
    let help = Options.helpMessage(columns: 200)
    for flag in Self.others { #expect(help.contains(flag.prefix { $0 != " " })) }
  }

  @Test(arguments: Setting.allCases)
  func `docs/station.md has the default of each setting`(setting: Setting) throws {
    let row = try #require(
      try Self.rows(of: "station.md", below: "## Settings").first {
        $0[0].prefix { $0 != " " }.trimmingCharacters(in: ["`"]) == "--\(setting.rawValue)"
      })
    #expect(!row[1].isEmpty)
    if Self.places.contains(setting) {
      #expect(!row[2].isEmpty)
    } else {
      let defaults = Configuration(hostName: "stage", environment: [:])
      #expect(row[2] == Self.text(of: defaults.value(of: setting)))
    }
  }

  @Test func `docs/appliance.md has each event of the log once, with its priority`() throws {
    let documented = try Self.rows(of: "appliance.md", below: "## Log events")
      .map { "\($0[0]) \($0[1])" }
    let events = EventName.allCases.map { "`\($0.rawValue)` \($0.level)" }
    #expect(Set(documented).symmetricDifference(events).isEmpty)
    #expect(documented.count == events.count)
  }

  @Test func `docs/keys.md has each event of comlink-keys once, with its priority`() throws {
    let documented = try Self.rows(of: "keys.md", below: "## Log events")
      .map { "\($0[0]) \($0[1])" }
    let events = KeysLog.Event.allCases.map { "`\($0.rawValue)` \($0.priority.name)" }
    #expect(documented.sorted() == events.sorted())
  }

  @Test func `docs/remote.md has each command of comlink`() async throws {
    let dump = try await Program.run("comlink", ["--experimental-dump-help"])
    let root = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
    let documented = try Self.rows(of: "remote.md", below: "## Commands").map { row in
      root.path(of: row[0].trimmingCharacters(in: ["`"]).split(separator: " ").map(String.init))
    }
    #expect(documented.allSatisfy { $0.count > 1 })
    #expect(Set(documented) == Set(root.paths))
    #expect(root.ambiguous.isEmpty)
  }
}

/// What a program says of its commands.
private struct Dump: Decodable {
  let command: Command

  struct Command: Decodable {
    let commandName: String
    let subcommands: [Command]?
    let defaultSubcommand: String?
    let arguments: [Argument]?

    struct Argument: Decodable {
      let names: [Name]?
    }

    struct Name: Decodable {
      let kind: String
      let name: String
    }

    private var children: [Command] {
      (subcommands ?? []).filter { $0.commandName != "help" }
    }

    /// The words of all commands that do something, those that may be left out left out.
    var paths: [[String]] {
      guard !children.isEmpty else { return [[commandName]] }
      return children.flatMap { child in
        child.paths.map { [commandName] + $0 }
      }
    }

    /// Options that a command takes twice, so that one of them is out of reach.
    var ambiguous: [String] {
      let names = (arguments ?? []).flatMap { $0.names ?? [] }.map { "\($0.kind) \($0.name)" }
      return Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }
        .map { "\(commandName): \($0.key)" } + (subcommands ?? []).flatMap(\.ambiguous)
    }

    /// The words of the command that a line begins with.
    func path(of line: [String]) -> [String] {
      guard line.first == commandName else { return [] }
      if let next = line.dropFirst().first,
        let child = children.first(where: { $0.commandName == next })
      {
        return [commandName] + child.path(of: Array(line.dropFirst()))
      }
      guard let child = children.first(where: { $0.commandName == defaultSubcommand }) else {
        return [commandName]
      }
      return [commandName, child.commandName]
    }
  }
}
