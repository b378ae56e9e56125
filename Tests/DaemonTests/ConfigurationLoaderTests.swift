import EventLoop
import Mesh
import Testing

@testable import NodeDaemon

@Suite struct ConfigurationLoaderTests {
  @Test func `without anything the defaults hold`() throws {
    let effective = try ConfigurationLoader(surroundings: TestSurroundings.with())
      .load(path: nil, flags: [])
    let configuration = effective.configuration
    #expect(effective.path == nil)
    #expect(effective.origins.isEmpty)
    #expect(configuration.name == "stage-left")
    #expect(configuration.listen.text == "[::]:5004")
    #expect(configuration.peers.isEmpty)
    #expect(configuration.ptime == .ms10)
    #expect(configuration.bitrateKilobits == 64)
    #expect(configuration.application == .auto)
    #expect(configuration.playoutDelay == .auto)
    #expect(configuration.playoutDelayMaximumMilliseconds == 120)
    #expect(configuration.maximumPeers == 64)
    #expect(configuration.jackServer == "default")
    #expect(configuration.jackClient == "comlink")
    #expect(configuration.connectsPorts)
    #expect(configuration.policy == .ask && configuration.discovers)
    #expect(configuration.logLevel == "info")
  }

  @Test(arguments: ["", "-.x", String(repeating: "h", count: 64), "\u{7}"])
  func `a node whose machine has no usable name is called comlink`(hostName: String) {
    let name = Configuration(hostName: hostName, environment: [:]).name
    #expect(name == (hostName == "-.x" ? "-" : "comlink"))
  }

  @Test func `the JACK server is the one that JACK programs use`() {
    let configuration = Configuration(
      hostName: "a", environment: ["JACK_DEFAULT_SERVER": "studio"])
    #expect(configuration.jackServer == "studio")
  }

  static let merges: [(file: String, flag: String?, value: String, origin: String)] = [
    ("", nil, "10", "default"),
    ("ptime = 5", nil, "5", "/c.toml:1"),
    ("\n# note\nptime = 2.5", nil, "2.5", "/c.toml:3"),
    ("", "20", "20", "--ptime"),
    ("ptime = 5", "20", "20", "--ptime"),
  ]

  @Test(arguments: merges)
  func `flags win over the file and the file over the defaults`(
    file: String, flag: String?, value: String, origin: String
  ) throws {
    let effective = try TestSurroundings.load(file, flags: flag.map { [(.ptime, $0)] } ?? [])
    #expect("\(effective.configuration.value(of: .ptime))" == value)
    #expect((effective.origins[.ptime] ?? .builtIn).words == origin)
  }

  /// The configuration with a file, and one of what was chosen.
  private static func load(
    _ file: String, chosen: String, flags: [ConfigurationLoader.Flag] = []
  ) throws -> EffectiveConfiguration {
    let files = ["/c.toml": "state = \"/s\"\n" + file, "/s/chosen.toml": chosen]
    return try ConfigurationLoader(surroundings: TestSurroundings.with(files: files))
      .load(path: "/c.toml", flags: flags)
  }

  @Test func `what was chosen on the station wins over the file, and flags win over it`() throws {
    let file = "name = \"file\"\nprofile = \"stage\""
    let chosen = "# note\nname = \"chosen\"\nprofile = \"wifi\"\nptime = 60"
    let effective = try Self.load(file, chosen: chosen)
    #expect(effective.chosenProblem == nil)
    #expect(effective.configuration.name == "chosen")
    #expect(effective.origins[.name] == .file(path: "/s/chosen.toml", line: 2))
    #expect(effective.origins[.profile] == .file(path: "/s/chosen.toml", line: 3))
    // The profile's settings are the defaults; nothing but the two is taken from there.
    #expect(effective.origins[.ptime] == .profile("wifi"))
    #expect(effective.configuration.ptime != .ms60)
    let flagged = try Self.load(file, chosen: chosen, flags: [(.name, .text("flag"))])
    #expect(flagged.configuration.name == "flag")
    #expect(flagged.configuration.profile.text == "wifi")
    #expect(try Self.load(file, chosen: "").configuration.name == "file")
    let nowhere = try Self.load(file, chosen: chosen, flags: [(.state, .text(""))])
    #expect(nowhere.configuration.name == "file")
  }

  static let damages: [(file: String, chosen: String, problem: String)] = [
    ("", "name = ", "/s/chosen.toml:1: not TOML"),
    ("", "name = 5", "/s/chosen.toml:1: name must be text in quotes"),
    ("", "nime = \"x\"", "/s/chosen.toml:1: unknown key \"nime\""),
    ("", "profile = \"tent\"", "/s/chosen.toml:1: profile must be"),
    ("", "name = \"\"", "/s/chosen.toml:1: name must"),
    // Packets of this profile would be too long; the whole choice goes.
    ("bitrate = 510", "name = \"x\"\nprofile = \"saver\"", "/c.toml:2: bitrate is 510, too much"),
  ]

  @Test(arguments: damages)
  func `what was chosen and does not do is told and passed over`(
    file: String, chosen: String, problem: String
  ) throws {
    let effective = try Self.load(file, chosen: chosen)
    #expect(effective.chosenProblem?.hasPrefix(problem) == true, "\(effective.chosenProblem ?? "")")
    #expect(effective.configuration.name == "stage-left" && effective.origins[.name] == nil)
  }

  @Test func `what was chosen and cannot be read is told and passed over`() throws {
    var surroundings = TestSurroundings.with()
    surroundings.read = { path in
      path == "/s/chosen.toml" ? .unreadable(words: "Permission denied") : .missing
    }
    let effective = try ConfigurationLoader(surroundings: surroundings)
      .load(path: nil, flags: [(.state, .text("/s"))])
    #expect(effective.chosenProblem == "/s/chosen.toml cannot be read: Permission denied")
    #expect(effective.configuration.name == "stage-left")
  }

  @Test func `peers on the command line replace those of the file`() throws {
    let file = "peer = [\"127.0.0.1:1\", \"127.0.0.1:2\"]"
    #expect(try TestSurroundings.load(file).configuration.peers.count == 2)
    let replaced = try TestSurroundings.load(file, flags: [(.peer, "[::1]:3")])
    #expect(replaced.configuration.peers.map(\.text) == ["[::1]:3"])
    let single = try TestSurroundings.load("peer = \"127.0.0.1:9\"")
    #expect(single.configuration.peers.map(\.text) == ["127.0.0.1:9"])
  }

  static let places: [(environment: [String: String], found: String)] = [
    (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/comlink/comlink.toml"),
    (["HOME": "/h"], "/h/.config/comlink/comlink.toml"),
    (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/comlink/comlink.toml"),
    ([:], "/etc/comlink/comlink.toml"),
  ]

  @Test(arguments: places)
  func `the user's own file comes before the system's`(
    environment: [String: String], found: String
  ) throws {
    let files = Dictionary(
      [found, "/etc/comlink/comlink.toml"].map { ($0, "name = \"\($0)\"") },
      uniquingKeysWith: { first, _ in first })
    let surroundings = TestSurroundings.with(files: files, environment: environment)
    let effective = try ConfigurationLoader(surroundings: surroundings).load(path: nil, flags: [])
    #expect(effective.path == found)
    #expect(effective.configuration.name == found)
  }

  @Test func `a file that was named must be there, and one that is there must be readable`() {
    let missing = #expect(throws: DaemonError.self) {
      try ConfigurationLoader(surroundings: TestSurroundings.with()).load(path: "/no", flags: [])
    }
    #expect(missing.map { "\($0)" } == "/no: no such file; check --config")
    #expect(missing?.exitCode == 78)
    var surroundings = TestSurroundings.with()
    surroundings.read = { _ in .unreadable(words: "Permission denied") }
    let locked = #expect(throws: DaemonError.self) {
      try ConfigurationLoader(surroundings: surroundings).load(path: nil, flags: [])
    }
    #expect(
      locked.map { "\($0)" }
        == "/home/eve/.config/comlink/comlink.toml: cannot be read: Permission denied")
  }
}
