import Cryptography
import TestKit
import Testing

@testable import Captions

/// Hosted sessions of whole networks in virtual time.
@Suite(.timeLimit(.minutes(30))) struct HostedSessionTests {
  private func network(_ count: Int = 3, seed: UInt64 = 1) throws -> HostedNetwork {
    let network = try HostedNetwork(count: count, seed: seed)
    network.run(seconds: 3)
    return network
  }

  @Test func `a session is announced to all, and read by those who join`() throws {
    let network = try network()
    let session = try network.host(0)
    network.say("one", by: 1, at: 0)
    network.run(seconds: 0.5)
    for index in 1...2 {
      let view = try #require(network.nodes[index].sessions?.view(session))
      #expect(view.name == "Show" && view.host == "desk 0" && view.line == "all")
      #expect(view.state == .live && !view.isOwn && !view.isSolo)
      #expect(network.nodes[index].news == [.announced])
    }
    #expect(network.nodes[1].texts(session).isEmpty)
    try network.join(1, session)
    network.run(seconds: 0.5)
    network.say("two", by: 1, at: 0)
    network.run(seconds: 0.3)
    #expect(network.nodes[1].texts(session) == ["one", "two"])
    #expect(network.nodes[2].texts(session).isEmpty)
    let listeners = network.nodes[0].sessions?.view(session)?.listeners.keys
    #expect(listeners.map(Set.init) == [network.nodes[1].id])
    try network.nodes[1].sessions?.leave(session: session)
    network.run(seconds: 0.5)
    network.say("three", by: 1, at: 0)
    network.run(seconds: 0.5)
    #expect(network.nodes[1].texts(session) == ["one", "two"], "what was read stays")
    #expect(network.nodes[0].sessions?.view(session)?.listeners.isEmpty == true)
    try network.nodes[0].sessions?.end(nowNanoseconds: network.time(of: 0))
    network.run(seconds: 0.5)
    #expect(network.nodes[2].sessions?.view(session)?.state == .over)
    #expect(network.nodes[2].news == [.announced, .ended])
  }

  @Test func `a late joiner gets the whole of eight hours at once, then the rest`() throws {
    let network = try network()
    let session = try network.host(0)
    for number in 0..<7200 {
      network.say("sentence \(number), as long as people say them at once", by: 1, at: 0)
    }
    network.run(seconds: 0.5)
    let (frames, octets) = (network.frameCount, network.octetCount)
    try network.join(2, session)
    network.run(seconds: 0.3)
    network.say("and now", by: 1, at: 0)
    network.run(seconds: 0.4)
    let texts = network.nodes[2].texts(session)
    #expect(texts.count == 7201 && Set(texts).count == 7201)
    #expect(network.frameCount - frames < 600 && network.octetCount - octets < 2_500_000)
  }

  @Test func `a session whose host is gone is continued by a member, and nothing is lost`() throws {
    let network = try network(4)
    let session = try network.host(0)
    for index in 1...2 { try? network.join(index, session) }
    network.run(seconds: 0.5)
    for index in 1...2 { try network.join(index, session) }
    network.run(seconds: 0.5)
    network.say("one", by: 1, at: 0)
    network.run(seconds: 0.5)
    #expect(throws: HostedError.isLive(host: "desk 0")) { try network.resume(1, session) }
    network.kill(0)
    network.run(seconds: 2)
    #expect(network.nodes[2].news.last == .hostLost)
    #expect(network.nodes[2].sessions?.view(session)?.state == .lost)
    // Who comes while the host is away gets all from those who read.
    try network.join(3, session)
    network.run(seconds: 1)
    #expect(network.nodes[3].texts(session) == ["one"])
    try network.resume(1, session)
    network.say("two", by: 2, at: 1)
    network.run(seconds: 1)
    let told = network.nodes[1].texts(session)
    #expect(told == ["one", "the host desk 0 is gone", "desk 1 goes on with the session", "two"])
    for index in 2...3 {
      #expect(network.nodes[index].texts(session) == told)
      #expect(network.nodes[index].news.last == .resumed)
      #expect(network.nodes[index].sessions?.view(session)?.host == "desk 1")
    }
    // The former host is back with an empty memory: it learns of its session, and reads it if it joins.
    network.start(0)
    network.run(seconds: 3)
    #expect(network.nodes[0].sessions?.view(session)?.host == "desk 1")
    try network.join(0, session)
    network.run(seconds: 1)
    #expect(network.nodes[0].texts(session) == told)
    let starts = network.nodes.compactMap { node in
      node.sessions?.transcript(of: session)?.chunks.values.map(\.startMilliseconds).sorted()
    }
    #expect(Set(starts).count == 1, "times are since the session began, at everybody")
  }

  @Test func `a host that restarted goes on with its session, whose text the readers kept`() throws
  {
    let network = try network()
    let session = try network.host(0)
    network.run(seconds: 0.5)
    try network.join(1, session)
    network.run(seconds: 0.5)
    network.say("before", by: 1, at: 0)
    network.run(seconds: 0.5)
    network.kill(0)
    network.run(seconds: 3)
    network.start(0)
    network.run(seconds: 3)
    #expect(network.nodes[0].sessions?.view(session)?.state == .lost)
    try network.resume(0, session)
    network.run(seconds: 1)
    network.say("after", by: 1, at: 0)
    network.run(seconds: 1)
    for index in 0...1 {
      #expect(
        network.nodes[index].texts(session) == [
          "before", "the host is back, the session goes on", "after",
        ])
    }
    #expect(network.nodes[1].news == [.announced, .hostLost, .resumed])
  }

  @Test func `a host that was only cut off has its session back, and who went on hands over`()
    throws
  {
    let network = try network()
    let session = try network.host(0)
    network.run(seconds: 0.5)
    for index in 1...2 { try network.join(index, session) }
    network.run(seconds: 0.5)
    for index in 1...2 { network.cut(0, from: index) }
    network.say("alone", by: 0, at: 0)
    network.run(seconds: 1)
    try network.resume(1, session)
    network.say("here", by: 2, at: 1)
    network.run(seconds: 1)
    network.mend()
    network.run(seconds: 25)
    #expect(network.nodes[1].sessions?.hosting == nil && network.nodes[0].sessions?.hosting != nil)
    #expect(network.nodes[1].news.contains(.handedBack))
    network.say("again", by: 2, at: 0)
    network.run(seconds: 1)
    let told = network.nodes[0].texts(session)
    #expect(told.count == 6 && Set(told).isSuperset(of: ["alone", "here", "again"]))
    for node in network.nodes { #expect(Set(node.texts(session)) == Set(told)) }
    #expect(network.nodes[2].sessions?.view(session)?.host == "desk 0")
  }

  @Test func `a low battery of the host is told, and is in the transcript`() throws {
    let network = try network()
    let session = try network.host(0)
    network.run(seconds: 0.5)
    try network.join(1, session)
    network.nodes[0].sessions?.follow(batteryPercent: 40, nowNanoseconds: network.time(of: 0))
    network.run(seconds: 0.5)
    network.nodes[0].sessions?.follow(batteryPercent: 12, nowNanoseconds: network.time(of: 0))
    network.run(seconds: 0.5)
    network.nodes[0].sessions?.follow(batteryPercent: 11, nowNanoseconds: network.time(of: 0))
    network.run(seconds: 0.5)
    #expect(network.nodes[1].texts(session) == ["the battery of the host is low, 12 %"])
    #expect(network.nodes[1].news == [.announced, .batteryLow(12)])
    #expect(network.nodes[1].sessions?.view(session)?.batteryPercent == 12)
  }

  @Test func `others see up to where a reader read`() throws {
    let network = try network()
    let session = try network.host(0)
    network.run(seconds: 0.5)
    try network.join(1, session)
    network.nodes[1].sessions?.note(
      readMilliseconds: 900, of: session, nowNanoseconds: network.time(of: 1))
    network.run(seconds: 3)
    network.nodes[1].sessions?.note(
      readMilliseconds: 500, of: session, nowNanoseconds: network.time(of: 1))
    network.run(seconds: 3)
    for index in [0, 2] {
      let listeners = network.nodes[index].sessions?.view(session)?.listeners
      #expect(listeners?[network.nodes[1].id] == 900)
    }
  }

  @Test func `text goes to those alone who are on the line`() throws {
    let network = try network()
    let session = try network.host(0)
    network.run(seconds: 0.5)
    for index in 1...2 { try network.join(index, session) }
    network.run(seconds: 0.5)
    network.nodes[0].sessions?.follow(network.nodes[2].id, hears: [], in: ["crew"])
    network.nodes[1].sessions?.follow(network.nodes[2].id, hears: [], in: ["crew"])
    network.say("not for two", by: 1, at: 0)
    network.run(seconds: 25)
    #expect(network.nodes[1].texts(session) == ["not for two"])
    #expect(network.nodes[2].texts(session).isEmpty)
    #expect(network.nodes[2].sessions?.view(session)?.state == .live)
  }

  @Test(arguments: Seeds.many(2000))
  func `hosts and readers come, go, restart and are cut off, and all transcripts become equal`(
    seed: UInt64
  ) throws {
    let network = try HostedNetwork(count: 5, seed: seed)
    (network.doubles, network.failures) = (0.2, 0.02)
    network.run(seconds: 2)
    var session = try network.host(0)
    var said: Set<String> = []
    network.run(seconds: 1)
    for step in 0..<80 { act(step, &session, &said, in: network) }
    network.mend()
    network.failures = 0
    for index in 0..<5 where network.nodes[index].sessions == nil { network.start(index) }
    network.run(seconds: 25)
    for index in 0..<5 where network.nodes[index].sessions?.view(session) != nil {
      try? network.join(index, session)
    }
    network.run(seconds: 65)
    let told = network.nodes.map { node in
      (node.sessions?.transcript(of: session)?.chunks.values).map {
        $0.map(\.octets).sorted { $0.lexicographicallyPrecedes($1) }
      } ?? []
    }
    for (index, texts) in told.enumerated() {
      #expect(texts == told[0], "seed \(seed), node \(index)")
      let words = network.nodes[index].texts(session).filter { said.contains($0) }
      #expect(Set(words).count == words.count, "seed \(seed), node \(index): doubled")
      let faults = network.nodes[index].sessions?.faults.filter { $0.key != .unknownSession }
      #expect(faults?.isEmpty == true, "seed \(seed), node \(index)")
    }
    let hosts = network.nodes.filter { $0.sessions?.hosting != nil }
    #expect(hosts.count <= 1, "seed \(seed)")
    let quiet = network.frameCount
    network.run(seconds: 60)
    // Notices of each part by its host, or by those who hold it in its place.
    #expect(network.frameCount - quiet <= 4 * 20 * 20, "seed \(seed)")
  }

  private func act(
    _ step: Int, _ session: inout CaptionSessionKey, _ said: inout Set<String>,
    in network: HostedNetwork
  ) {
    let one = Int.random(in: 0..<5, using: &network.random)
    let other = Int.random(in: 0..<5, using: &network.random)
    switch Int.random(in: 0..<14, using: &network.random) {
    case 0: network.kill(one)
    case 1, 2:
      for index in 0..<5 where network.nodes[index].sessions == nil { network.start(index) }
    case 3: if one != other { network.cut(one, from: other) }
    case 4: network.mend()
    case 5, 6: try? network.join(one, session)
    case 7: try? network.resume(one, session)
    case 8:
      // A host's restart takes what nobody had joined with it.
      break
    default:
      for host in 0..<5 where network.nodes[host].sessions?.hosting != nil {
        let text = "step \(step) at \(host)"
        if network.say(text, by: other, at: host, isFinal: step.isMultiple(of: 3)) != nil {
          said.insert(text)
        }
      }
    }
    network.run(seconds: Double.random(in: 0...0.8, using: &network.random))
  }
}
