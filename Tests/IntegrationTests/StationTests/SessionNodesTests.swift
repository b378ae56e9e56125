import Foundation
import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Hosted sessions between three real nodes on JACK servers, with a speech service that knows its answers.
  @Suite struct SessionNodesTests {
    private func station(
      _ name: String, _ port: Int, peers: [Int], _ arguments: [String],
      in directory: TemporaryDirectory
    ) throws -> Station {
      var options = NodeProcess.Options(port: port)
      (options.peerPorts, options.arguments) = (peers, arguments)
      return try Station(
        name, periodFrames: 256, options: options, recordSeconds: 5, in: directory)
    }

    private func wait(
      for node: NodeProcess, _ what: String, until isSo: (CaptionsStatus) -> Bool
    ) throws {
      try waitUntil(
        what, within: 40, interval: 0.1, detail: { node.process.outputTail() }
      ) { () throws(RigError) in
        try node.status().captions.map(isSo) ?? false
      }
    }

    private func texts(_ node: NodeProcess, _ session: String) throws -> [String] {
      var query = CaptionQuery()
      (query.session, query.limit) = (session, 500)
      guard case .captions(let chunks) = try node.ask(.captions(.show(query))) else { return [] }
      return chunks.filter { $0.isFinal && $0.isAlert != true }
        .sorted {
          ($0.startSeconds, $0.session, $0.index) < ($1.startSeconds, $1.session, $1.index)
        }
        .map { "\($0.startSeconds) \($0.talker): \($0.text)" }
    }

    private func speak(_ station: Station) throws {
      try station.prepareToSay(Speech.lasting(8, Speech.sentences()), loops: true)
      try station.mouth.start()
    }

    @Test func `a session is hosted, joined late, continued by another, and is the same at all`()
      throws
    {
      let service = try FakeSpeech()
      service.text.withLock { $0 = "Stand by on cue ten." }
      let asr = ["--speech-asr", "tcp://127.0.0.1:\(service.port)"]
      let folder = try TemporaryDirectory(prefix: "comlink-sessions")
      let ports = try LoopbackPorts.free(3)
      let a = try station("A", ports[0], peers: [ports[1], ports[2]], asr, in: folder)
      let b = try station("B", ports[1], peers: [ports[2]], asr, in: folder)
      let c = try station(
        "C", ports[2], peers: [],
        ["--captions-transcripts", folder.file("transcripts"), "--people", "deaf"], in: folder)
      for station in [a, b, c] { try station.node.waitUntilConnected(peers: 2, within: 30) }

      #expect(try a.node.ask(.session(.host(name: "Show", line: nil, isSolo: false))) == .ok)
      try wait(for: b.node, "B to see the session") { $0.hosted.first?.state == "live" }
      let hosted = try #require(try b.node.status().captions?.hosted.first)
      #expect(hosted.name == "Show" && hosted.host == "A" && hosted.line == "all")
      #expect(!hosted.isOwn && !hosted.isJoined && !hosted.isSolo)
      // Who cannot hear reads without a word.
      try wait(for: c.node, "C to join by itself") { $0.hosted.first?.isJoined == true }
      try speak(b)
      try wait(for: c.node, "what B says") { captions in
        captions.recent.contains { $0.talker == "B" && $0.isFinal && $0.hosted != nil }
      }
      #expect(try texts(b.node, hosted.session).isEmpty)

      // Late, by the host's name.
      #expect(try b.node.ask(.session(.join(session: "A"))) == .ok)
      try waitUntil("the history at B", within: 20, interval: 0.1) { () throws(RigError) in
        ((try? texts(b.node, hosted.session)) ?? []).count >= 1
      }
      try wait(for: a.node, "A to count its listeners") {
        Set($0.hosted.first?.listeners.map(\.name) ?? []) == ["B", "C"]
      }
      #expect {
        try b.node.ask(.session(.resume(session: "Show")))
      } throws: {
        "\($0)".contains("A hosts that session")
      }

      try expectHandOver(from: a, to: b, c, of: hosted.session)
      try expectTranscript(of: c.node, in: folder.file("transcripts"))
    }

    /// The host dies, and another goes on.
    private func expectHandOver(
      from a: Station, to b: Station, _ c: Station, of session: String
    ) throws {
      a.node.process.send(signal: SIGKILL)
      try wait(for: b.node, "B to miss the host") { $0.hosted.first?.state == "lost" }
      #expect(try b.node.ask(.session(.resume(session: "Show"))) == .ok)
      try wait(for: c.node, "C to see the new host") {
        $0.hosted.first?.host == "B" && $0.hosted.first?.state == "live"
      }
      let count = try texts(c.node, session).count
      try waitUntil("what is said then", within: 30, interval: 0.2) { () throws(RigError) in
        ((try? texts(c.node, session)) ?? []).count > count
      }
      b.mouth.stop()
      #expect(try b.node.ask(.session(.end)) == .ok)
      try wait(for: c.node, "the end at C") { $0.hosted.first?.state == "over" }
      let told = try texts(b.node, session)
      #expect(try texts(c.node, session) == told)
      #expect(told.contains { $0.hasSuffix(": the host A is gone") })
      #expect(told.contains { $0.hasSuffix(": B goes on with the session") })
    }

    private func expectTranscript(of node: NodeProcess, in folder: String) throws {
      try waitUntil(
        "the transcript", within: 20, interval: 0.2, detail: { node.process.outputTail() }
      ) { () throws(RigError) in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard let name = names.first(where: { $0.hasSuffix("_show.txt") }) else { return false }
        let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
        return text.contains("B: Stand by on cue ten.\n")
          && text.contains("* B goes on with the session\n")
      }
    }

    @Test func `a node that offers it captions by itself while somebody deaf is on its line`()
      throws
    {
      let service = try FakeSpeech()
      let pair = try NodePair(
        argumentsOfA: [
          "--speech-asr", "tcp://127.0.0.1:\(service.port)", "--captions-offer",
        ],
        argumentsOfB: ["--people", "deaf"], in: try TemporaryDirectory(prefix: "comlink-offer"))
      let (a, b) = (pair.a.node, pair.b.node)
      try wait(for: b, "captions by themselves") { $0.sessions.first?.isLive == true }
      let status = try #require(try a.status().captions)
      #expect(status.isOffered && status.isAutomatic && status.isCaptioning)
      #expect(try a.ask(.captions(.end)) == .ok)
      try wait(for: a, "their end") { !$0.isOffered && !$0.isCaptioning }
    }
  }
}
