import StatusSchema
import Testing

@testable import TestRig

/// Two real daemons on real JACK servers.
@Suite(.serialized) struct TalkTests {
  /// What the media loop's thread calls itself.
  private static let loopThread = "comlink-loop"

  @Test func `speech is understood at the other end`() throws {
    let pair = try NodePair(in: TemporaryDirectory(prefix: "comlink-test"))
    let speech = try Speech.lasting(8, Speech.sentences())
    try pair.a.prepareToSay(speech)
    try pair.b.listen(to: ["peer_A"])
    try pair.b.ear.start()
    try pair.a.mouth.start()
    try waitUntil("nine seconds of sound", within: 120) { () throws(RigError) in
      pair.b.ear.recordedFrames > 9 * 48_000
    }
    pair.a.mouth.stop()
    pair.b.ear.stop()
    let segments = Correlator(sampleRate: 48_000).measure(
      source: speech, played: pair.a.mouth.playedTimeLine, recording: pair.b.ear.recording(),
      recorded: pair.b.ear.recordedTimeLine, skippingSeconds: 0.5)
    try #require(segments.count >= 10)
    #expect(segments.understoodShare() >= 0.85)
    let peer = try #require(try pair.b.node.status().peers.first)
    #expect(peer.received > 0)
    #expect(peer.lost == 0)
  }

  /// Whether this machine has `::1`.
  private static let hasIPv6 =
    text(ofFile: "/proc/net/if_inet6")?.contains(String(repeating: "0", count: 31) + "1 ") == true

  @Test(.enabled(if: hasIPv6, "without IPv6"))
  func `both understand each other by i pv 6`() throws {
    let pair = try NodePair(
      address: "[::1]", in: TemporaryDirectory(prefix: "comlink-test"))
    let speech = try Speech.lasting(6, Speech.sentences())
    for (station, peer) in [(pair.a, "peer_B"), (pair.b, "peer_A")] {
      try station.prepareToSay(speech)
      try station.listen(to: [peer])
      try station.ear.start()
      try station.mouth.start()
    }
    try waitUntil("seven seconds of sound", within: 120) { () throws(RigError) in
      pair.a.ear.recordedFrames > 7 * 48_000 && pair.b.ear.recordedFrames > 7 * 48_000
    }
    for station in [pair.a, pair.b] {
      station.mouth.stop()
      station.ear.stop()
    }
    for (talker, listener) in [(pair.a, pair.b), (pair.b, pair.a)] {
      let segments = Correlator(sampleRate: 48_000).measure(
        source: speech, played: talker.mouth.playedTimeLine, recording: listener.ear.recording(),
        recorded: listener.ear.recordedTimeLine, skippingSeconds: 0.5)
      #expect(segments.count >= 8 && segments.understoodShare() >= 0.85)
      let status = try listener.node.status()
      #expect(status.node.listen.hasPrefix("[::1]:"))
      let peer = try #require(status.peers.first)
      #expect(peer.address.hasPrefix("[::1]:") && peer.received > 100 && peer.lost == 0)
    }
  }

  @Test func `the media loop allocates nothing while both talk`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let counter = try MallocCounter(in: directory)
    let pair = try NodePair(environmentOfA: counter.environment, in: directory)
    let speech = try Speech.sentences()
    for station in [pair.a, pair.b] {
      try station.prepareToSay(speech, loops: true)
      try station.mouth.start()
    }
    // Until both have sent sound and reports, first uses still allocate.
    try waitUntil("talk in both directions", within: 120) { () throws(RigError) in
      let received = try [pair.a, pair.b].map { station throws(RigError) in
        try station.node.status().peers.first?.received ?? 0
      }
      return received.allSatisfy { $0 > 500 }
    }
    let before = try pair.a.node.status().loop.wakes
    counter.openWindow()
    // No status in between: answering one is control, which may allocate.
    pause(seconds: 5)
    counter.closeWindow()
    let counted = counter.threads
    #expect(try pair.a.node.status().loop.wakes - before > 100)
    let loop = counted.filter { $0.name == Self.loopThread }
    #expect(loop.map(\.allocations).reduce(0, +) == 0)
    #expect(loop.map(\.frees).reduce(0, +) == 0)

    // That thread exists by that name, and in this process allocations are seen.
    let usage = try #require(ProcessUsage(of: pair.a.node.process.identifier))
    #expect(usage.threads.contains { $0.name == Self.loopThread })
    counter.openWindow()
    _ = try pair.a.node.status()
    counter.closeWindow()
    #expect(counter.threads.contains { $0.allocations > 0 })
  }
}
