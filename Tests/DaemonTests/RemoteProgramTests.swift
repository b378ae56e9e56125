import Foundation
import ControlSocket
import Remote
import StatusSchema
import Synchronization
import Testing

/// comlink as a process of its own, with a server of ours to talk to.
@Suite(.timeLimit(.minutes(2))) struct RemoteProgramTests {
  private final class Node: ControlHandler {
    private let seen = Mutex<[ControlRequest]>([])
    var requests: [ControlRequest] { seen.withLock { $0 } }

    func handle(_ request: ControlRequest) async -> ControlResponse {
      seen.withLock { $0.append(request) }
      if case .mute(peer: "nobody", _) = request { return .error(message: "no peer nobody") }
      switch request {
      case .logLevel: return .logLevels(["mesh": "debug", "comlinkd": "info"])
      case .pageInvite: return .pageInvitation(Self.invitation)
      case .pageList:
        return .pageSessions([
          PageSessionStatus(
            id: "abc", name: "An\u{1B}na", rights: .talk, ageSeconds: 200_000, idleSeconds: 90,
            isOpen: false)
        ])
      case .recordStart(let recording): return .recording(path: recording.directory + "/take")
      case .testLoop(let peer):
        var result = LoopTestStatus(peer: peer, sent: 8, found: peer == "far" ? 0 : 7)
        if result.found > 0 {
          result.roundTripMilliseconds = 31.5
          (result.leastMilliseconds, result.mostMilliseconds) = (30, 33)
        }
        return .loopTest(result)
      case .testSpeech(let peer):
        return .speechTest(
          SpeechTestStatus(
            peer: peer, intelligibility: 0.97, delayMilliseconds: 12.5, processorPercent: nil,
            ptimeMilliseconds: 10, bitrateKilobits: 64, application: "lowdelay"))
      case .sound(.test(let seconds)):
        var result = VoiceTestStatus(
          speechSeconds: seconds == 6 ? 4 : 0, peakDBFS: -9, noiseLevelDBFS: -48, clippedPercent: 0)
        if seconds == 6 { result.speechLevelDBFS = -24 }
        return .voiceTest(result)
      case .sound(.monitor(let seconds)) where seconds < 60: return .error(message: "it would howl")
      default: break
      }
      guard request == .status else { return .ok }
      return .status(TickingNode().status)
    }

    func pictures() -> AsyncStream<NodePicture>? { TickingNode().pictures() }

    private static var invitation: PageInvitation {
      var invitation = PageInvitation(
        addresses: ["https://stage.local:8443/", "https://10.0.0.1:8443/"],
        trustAddresses: ["http://stage.local:8080/trust", "http://10.0.0.1:8080/trust"],
        token: "secret", seconds: 600)
      invitation.authority = "Comlink a b c d"
      invitation.authorityFingerprint = "AB CD"
      return invitation
    }
  }

  private let node = Node()
  private let folder: TestFolder
  private var path: String { "\(folder.path)/c.sock" }

  init() throws { folder = try TestFolder() }

  private func comlink(_ arguments: [String]) async throws -> Program.Outcome {
    let server = try ControlServer(path: path, handler: node)
    defer { server.stop() }
    return try await Program.run("comlink", arguments + ["--control", path])
  }

  static let commands: [(arguments: [String], request: ControlRequest)] = [
    (["talk", "on"], .talk(isOn: true)),
    (["talk", "off"], .talk(isOn: false)),
    (["sidetone", "-18"], .sidetone(decibels: -18)),
    (["sidetone", "off"], .sidetone(decibels: nil)),
    (
      ["ear", "--volume", "-6", "--talk-dim", "cut"],
      .ear(changes: ["volume": "-6", "talk-dim": "cut"])
    ),
    (["ear", "--call-tone", "-20"], .ear(changes: ["call-tone": "-20"])),
    (["ear", "--places", "spread"], .ear(changes: ["places": "spread"])),
    (["ear", "--aloud-priority", "3"], .ear(changes: ["aloud-priority": "3"])),
    (["voice", "monitor"], .sound(.monitor(seconds: 60))),
    (["level", "auto"], .ear(changes: ["level": "auto"])),
    (["line", "port", "a", "on"], .line(.port(line: "a", isOn: true))),
    (["line", "priority", "a", "4"], .line(.priority(line: "a", priority: 4))),
    (["line", "display", "a", "STG"], .line(.display(line: "a", text: "STG"))),
    (["key", "preset", "beltpack", "a", "b"], .key(.preset("beltpack", lines: ["a", "b"]))),
    (
      ["voice", "--suppress", "strong", "--gate", "-50"],
      .voice(changes: ["suppress": "strong", "gate": "-50"])
    ),
    (["voice", "effect", "radio"], .voice(changes: ["effect": "radio"])),
    (["gain", "B", "-6"], .gain(peer: "B", decibels: -6)),
    (["gain", "B", "+3.5"], .gain(peer: "B", decibels: 3.5)),
    (["pan", "B", "-0.5"], .pan(peer: "B", position: -0.5)),
    (["pan", "B", "-.5"], .pan(peer: "B", position: -0.5)),
    (["pan", "B", "−1"], .pan(peer: "B", position: -1)),
    (["pan", "stage left", "1"], .pan(peer: "stage left", position: 1)),
    (["place", "B", "-30"], .place(peer: "B", azimuth: -30, elevation: 0)),
    (["place", "B", "110", "-20"], .place(peer: "B", azimuth: 110, elevation: -20)),
    (["place", "B", "off"], .place(peer: "B", azimuth: nil, elevation: 0)),
    (["mute", "B"], .mute(peer: "B", isOn: true)),
    (["unmute", "B"], .mute(peer: "B", isOn: false)),
    (["log", "level", "debug"], .logLevel(level: "debug", area: nil)),
    (["log", "level", "debug", "mesh"], .logLevel(level: "debug", area: "mesh")),
    (["loopback", "on", "B"], .loopBack(peer: "B", minutes: 5)),
    (["loopback", "on", "B", "--minutes", "2"], .loopBack(peer: "B", minutes: 2)),
    (["loopback", "off"], .loopBackOff),
    (["record", "stop"], .recordStop),
    (["input", "desk", "off"], .patch(.input(name: "desk", isOn: false))),
    (
      ["input", "desk", "--lines", "stage left, pgm"],
      .patch(.input(name: "desk", isOn: nil, lines: ["stage left", "pgm"]))
    ),
    (
      ["input", "desk", "on", "--lines", "all"],
      .patch(.input(name: "desk", isOn: true, lines: ["all"]))
    ),
    (["bus", "ifb", "B", "-6"], .patch(.bus(name: "ifb", peer: "B", decibels: -6))),
    (["bus", "ifb", "all", "off"], .patch(.bus(name: "ifb", peer: nil, decibels: nil))),
    (["page", "revoke", "Anna"], .pageRevoke(session: "Anna")),
    (["page", "revoke", "--all"], .pageRevoke(session: nil)),
    (["page", "token", "revoke", "desk"], .pageToken(.revoke("desk"))),
    (["page", "token", "revoke", "--all"], .pageToken(.revoke(nil))),
  ]

  @Test(arguments: commands)
  func `a command asks for what it says`(
    arguments: [String], request: ControlRequest
  ) async throws {
    let outcome = try await comlink(arguments)
    #expect(outcome.code == 0)
    #expect(outcome.output + outcome.complaint == "")
    #expect(node.requests == [request])
  }

  /// A recording of `/takes`.
  private static func recording(
    peers: Bool = true, mix: Bool = true, format: String? = nil, mostBytes: Int? = nil,
    freeBytes: Int? = nil, buses: [String]? = nil
  ) -> ControlRequest {
    var request = RecordingRequest(directory: "/takes")
    (request.peers, request.mix, request.format) = (peers, mix, format)
    (request.maxSizeBytes, request.keepFreeBytes) = (mostBytes, freeBytes)
    request.buses = buses
    return .recordStart(request)
  }

  static let recordings: [(arguments: [String], request: ControlRequest)] = [
    (["record", "/takes"], recording()),
    (["record", "start", "/takes"], recording()),
    (["record", "--peers", "--mix", "/takes"], recording()),
    (["record", "--peers", "/takes"], recording(mix: false)),
    (
      ["record", "--bus", "foh", "--bus", "ifb", "/takes"],
      recording(peers: false, mix: false, buses: ["foh", "ifb"])
    ),
    (["record", "--mix", "/takes", "--format", "wav"], recording(peers: false, format: "wav")),
    (
      ["record", "/takes", "--max-size", "2G", "--keep-free", "500M"],
      recording(mostBytes: 2_000_000_000, freeBytes: 500_000_000)
    ),
  ]

  @Test(arguments: recordings)
  func `a recording is of what is asked for, and its folder is printed`(
    arguments: [String], request: ControlRequest
  ) async throws {
    let outcome = try await comlink(arguments)
    #expect(outcome.code == 0)
    #expect(outcome.output == "/takes/take\n")
    #expect(outcome.complaint.isEmpty)
    #expect(node.requests == [request])
  }

  static let invitations: [(arguments: [String], request: ControlRequest, words: [String])] = [
    (
      ["page"], .pageInvite(rights: .operate, name: nil),
      [
        "http://stage.local:8080/trust", "Comlink a b c d", "AB CD",
        "https://stage.local:8443/#secret",
      ]
    ),
    (
      ["page", "--rights", "talk", "--name", "Anna", "--ip"],
      .pageInvite(rights: .talk, name: "Anna"),
      ["http://10.0.0.1:8080/trust", "https://10.0.0.1:8443/#secret"]
    ),
    (["page", "list"], .pageList, ["An?na", "abc", "talk, seen 90 s ago, signed in 2 days ago"]),
  ]

  @Test(arguments: invitations)
  func `a phone is shown the way in, and listed`(
    arguments: [String], request: ControlRequest, words: [String]
  ) async throws {
    let outcome = try await comlink(arguments)
    #expect(outcome.code == 0)
    for words in words { #expect(outcome.output.contains(words), "\(outcome.output)") }
    #expect(node.requests == [request])
  }

  static let trials: [(arguments: [String], request: ControlRequest, code: Int32, words: String)] =
    [
      (["test", "loop", "B"], .testLoop(peer: "B"), 0, "31.5 ms  (30.0 to 33.0 ms, 7 of 8"),
      // What nothing came back from has no result.
      (["test", "loop", "far"], .testLoop(peer: "far"), 65, "none of 8 sweeps came back from far"),
      (["test", "voice"], .sound(.test(seconds: 6)), 0, "-24.0 dBFS: good"),
      (
        ["test", "voice", "--seconds", "3"], .sound(.test(seconds: 3)), 65, "no speech was heard"
      ),
      (["test", "speech"], .testSpeech(peer: nil), 0, "0.97"),
      (["test", "speech", "--peer", "B"], .testSpeech(peer: "B"), 0, "0.97"),
    ]

  @Test(arguments: trials)
  func `a test's result is printed`(
    arguments: [String], request: ControlRequest, code: Int32, words: String
  ) async throws {
    let outcome = try await comlink(arguments)
    #expect(outcome.code == code)
    #expect(outcome.output.contains(words), "\(outcome.output)")
    #expect(node.requests == [request])
  }

  static let mistakes: [(arguments: [String], code: Int32, words: String)] = [
    (["talk", "maybe"], 64, "maybe"),
    (["pan", "B", "-1.5"], 64, "the pan must be from -1 (left) to 1 (right)"),
    (["pan", "B", "left"], 64, "left"),
    (["place", "B", "181"], 64, "the azimuth must be from -180 to 180 degrees, or off"),
    (["place", "B", "0", "-41"], 64, "the elevation must be from -40 to 90 degrees"),
    (["gain", "B", "21"], 64, "the gain must be from -60 to 18 dB"),
    (["gain", "B", "nan"], 64, "Gain, dB, -60…18; 0 is unity."),
    (["gain", "B"], 64, "Missing expected argument"),
    (["loopback", "on"], 64, "give on and a peer's name, or off"),
    (["record"], 64, "Missing expected argument"),
    (["record", "/takes", "--max-size", "much"], 64, "much"),
    (["voice", "monitor", "--seconds", "5"], 65, "comlink: it would howl\n"),
    (["mute", "nobody"], 65, "comlink: no peer nobody\n"),
  ]

  @Test(arguments: mistakes)
  func `a mistake is told in words`(
    arguments: [String], code: Int32, words: String
  ) async throws {
    let outcome = try await comlink(arguments)
    #expect(outcome.code == code)
    #expect(outcome.complaint.contains(words))
  }

  @Test func `the status is printed for people or as JSON`() async throws {
    let text = try await comlink(["status"])
    #expect(text.output.hasPrefix("node     stage  127.0.0.1:5004  talk off  up 0:00:01"))
    let json = try await comlink(["status", "--json"])
    #expect(json.output.hasPrefix("{\n  \"audio\" : {\n"))
    let status = try JSONLine.decode(Status.self, from: Array(json.output.utf8))
    #expect(status.node.name == "stage")
  }

  @Test func `the log's levels are listed by area`() async throws {
    let outcome = try await comlink(["log", "level"])
    #expect(outcome.output == "comlinkd  info\nmesh      debug\n")
    #expect(node.requests == [.logLevel(level: nil, area: nil)])
  }

  @Test func `the doctor looks at this machine with a daemon and without`() async throws {
    let with = try await comlink(["doctor"])
    // The node of these tests has no JACK server and no permissions.
    #expect(with.code == 1)
    #expect(with.output.contains("comlinkd 0.1.0 answers"))
    #expect(with.output.contains("the media loop runs as other"))
    #expect(with.output.contains("runs no JACK server default"))
    let without = try await Program.run("comlink", ["doctor", "--json", "--control", "/no/such"])
    #expect([0, 1].contains(without.code))
    #expect(without.output.hasPrefix("[\n  {\n"))
    #expect(without.output.contains("no comlinkd answers at /no/such"))
  }

  @Test func `where no daemon answers it says so`() async throws {
    let outcome = try await Program.run("comlink", ["status", "--control", "/tmp/no-such.sock"])
    #expect(outcome.code == 69)
    #expect(outcome.complaint.hasPrefix("comlink: no comlinkd answers at /tmp/no-such.sock; is it"))
  }

  @Test func `the second look of watch ends when the daemon goes`() async throws {
    let server = try ControlServer(path: path, handler: node)
    let watch = try Program("comlink", ["status", "--json", "--watch", "--control", path])
    while watch.output.split(separator: "\n").count < 2 {
      try await Task.sleep(for: .milliseconds(10))
    }
    server.stop()
    let outcome = try await watch.outcome()
    #expect(outcome.code == 75)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count >= 2)
    for line in lines { _ = try JSONLine.decode(Status.self, from: Array(line.utf8)) }
  }
}
