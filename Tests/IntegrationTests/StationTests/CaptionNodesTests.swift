import Foundation
import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Captions between real nodes on JACK servers, with a speech service that knows its answers.
  @Suite struct CaptionNodesTests {
    private func wait(
      for node: NodeProcess, _ what: String, within seconds: Double = 30,
      until isSo: (CaptionsStatus) -> Bool
    ) throws {
      try waitUntil(
        what, within: seconds, interval: 0.1, detail: { node.process.outputTail() }
      ) { () throws(RigError) in
        try node.status().captions.map(isSo) ?? false
      }
    }

    @Test func `what one says is read at the other, who may refuse`() throws {
      let service = try FakeSpeech()
      service.partial.withLock { $0 = "Stand by" }
      service.text.withLock { $0 = "Stand by on \u{202E}cue ten." }
      let folder = try TemporaryDirectory(prefix: "comlink-captions")
      let transcripts = "\(folder.path)/transcripts"
      let pair = try NodePair(
        argumentsOfA: ["--speech-asr", "tcp://127.0.0.1:\(service.port)", "--role", "desk"],
        argumentsOfB: ["--captions-transcripts", transcripts], in: folder)
      let (a, b) = (pair.a.node, pair.b.node)
      #expect {
        try b.ask(.captions(.begin(line: nil, members: [])))
      } throws: {
        "\($0)".contains("set asr in the table [speech]")
      }
      _ = try b.ask(.captions(.keep(days: 30)))
      #expect(try a.ask(.captions(.begin(line: "all", members: []))) == .ok)
      try wait(for: b, "B to see that it is captioned") { $0.sessions.first?.isLive == true }
      let session = try #require(try b.status().captions?.sessions.first)
      #expect(session.captioner == "A" && session.scope == "line all" && !session.isOwn)

      let speech = try Speech.lasting(8, Speech.sentences())
      try pair.b.prepareToSay(speech, loops: true)
      try pair.b.mouth.start()
      try wait(for: b, "B's own words") { captions in
        captions.recent.contains { $0.talker == "B" && $0.isFinal }
      }
      let chunk = try #require(
        try b.status().captions?.recent.first { $0.talker == "B" && $0.isFinal })
      #expect(chunk.text == "Stand by on \u{202E}cue ten." && chunk.seconds > 0.3)
      #expect(chunk.language == "en" && chunk.confidence == 0.75)
      #expect(chunk.session == session.session)
      #expect(CaptionTable.text(chunk).contains("B: Stand by on ?cue ten."))
      #expect(service.heard.withLock { $0 }.contains { $0 > 10_000 })

      #expect(try b.ask(.captions(.refuse(isOn: true))) == .ok)
      try wait(for: a, "A to know that B refuses") { $0.refusers == ["B"] }
      let count = try #require(try a.status().captions?.sessions.first?.chunks)
      let questions = service.heard.withLock { $0.count }
      let received = try a.status().peers.first?.received ?? 0
      try waitUntil("two seconds of B's speech", within: 20, interval: 0.2) {
        () throws(RigError) in
        let peer = try a.status().peers.first
        return (peer?.received ?? 0) > received + 200 && peer?.isTalking == true
      }
      #expect(try a.status().captions?.sessions.first?.chunks == count)
      // The one that was under way may have ended.
      #expect(service.heard.withLock { $0.count } <= questions + 1)

      #expect(try a.ask(.captions(.end)) == .ok)
      try wait(for: b, "B to see the end") { $0.sessions.first?.isLive == false }
      guard case .captions(let kept) = try b.ask(.captions(.show(CaptionQuery()))) else {
        Issue.record("no captions")
        return
      }
      #expect(kept.contains { $0.text == chunk.text })
      #expect(try b.status().captions?.transcripts == transcripts)
      try waitForTranscript(of: b, in: transcripts, saying: "B: Stand by on \u{FFFD}cue ten.\n")
      try checkKept(by: b)
    }

    private func checkKept(by node: NodeProcess) throws {
      var query = CaptionQuery()
      (query.search, query.isKept) = ("cue", true)
      func kept() throws(RigError) -> [CaptionStatus] {
        guard case .captions(let all) = try node.ask(.captions(.show(query))) else { return [] }
        return all
      }
      try waitUntil("what is kept", within: 20, interval: 0.2) { () throws(RigError) in
        try kept().contains {
          $0.text.hasSuffix("cue ten.") && $0.talker == "B" && $0.unixSeconds != nil
        }
      }
      #expect(try node.status().captions?.keepDays == 30)
      let answer = try node.ask(.captions(.keep(days: 0)))
      #expect(answer == .done(note: "captions are not kept; 1 session deleted"))
      #expect(try kept().isEmpty)
      #expect(try node.status().captions?.keepDays == nil)
    }

    private func waitForTranscript(
      of node: NodeProcess, in folder: String, saying words: String
    ) throws {
      try waitUntil(
        "the transcripts", within: 20, interval: 0.2, detail: { node.process.outputTail() }
      ) { () throws(RigError) in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard names.count == 4, let name = names.first(where: { $0.hasSuffix("_line-all.txt") })
        else { return false }
        let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        return text?.contains(words) == true
      }
    }
  }
}
