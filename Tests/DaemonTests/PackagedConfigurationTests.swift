import Foundation
import Testing

@testable import NodeDaemon

/// `/etc/comlink/comlink.toml`, as the package brings it: all but the page in comments.
@Suite struct PackagedConfigurationTests {
  /// Defaults that depend on who runs the daemon; the file has the service's.
  private static let places: [Setting: String] = [
    .control: "/run/comlink/control.sock", .state: "/var/lib/comlink",
    .pluginSocket: "/run/comlink/comlink/plugin.sock", .page: "[::]:8443",
  ]
  private let text: String
  private let settings: [String]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../packaging/comlink.toml").standardized
    text = try String(contentsOf: file, encoding: .utf8)
    var table = ""
    settings = text.split(separator: "\n").filter { !$0.hasPrefix("# ") }.compactMap { line in
      let line = line.drop { $0 == "#" }
      guard line.hasPrefix("[") else { return table + line }
      table = line.dropFirst().prefix { $0 != "]" } + "-"
      return nil
    }
  }

  @Test func `it opens the page, and sets nothing else`() throws {
    #expect(try TestSurroundings.load(text).origins.keys.map(\.rawValue) == ["page"])
  }

  @Test func `it shows each setting once, in their order`() {
    let keys = settings.map { String($0.prefix { $0 != " " }) }
    #expect(keys == Setting.allCases.map(\.rawValue))
  }

  @Test(arguments: Setting.allCases) func `what it shows is the default`(setting: Setting) throws {
    let line = try #require(settings.first { $0.hasPrefix("\(setting.rawValue) = ") })
    let path = "/c.toml"
    let text = setting.table.map { "[\($0)]\n\(line.dropFirst($0.count + 1))" } ?? line
    // The name it shows is that of the machine.
    let surroundings = TestSurroundings.with(files: [path: text], hostName: "stage")
    let shown = try ConfigurationLoader(surroundings: surroundings).load(path: path, flags: [])
    let value = shown.configuration.value(of: setting)
    if let place = Self.places[setting] {
      #expect(value == .text(place))
    } else {
      let defaults = Configuration(
        hostName: surroundings.hostName, environment: surroundings.environment)
      #expect(value == defaults.value(of: setting))
    }
  }
}
