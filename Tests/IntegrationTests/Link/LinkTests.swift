import Glibc
import Testing

@testable import TestRig

/// The link emulator, through real namespaces.
@Suite(.serialized, .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct LinkTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory(prefix: "comlink-test")
  }

  @Test(arguments: NodeSocket.Family.allCases)
  func `datagrams are delayed, lost and doubled as asked`(family: NodeSocket.Family) throws {
    let link = try LinkProcess(
      ["--delay", "20", "--loss", "5", "--duplicate", "10"], in: directory)
    let a = try NodeSocket(family, in: link.namespace(0))
    let b = try NodeSocket(family, in: link.namespace(1))
    let traffic = try NumberedTraffic(
      count: 2000, from: a, to: b, at: NodeSocket.address(family, ofNode: 1))
    let delays = Distribution(traffic.delays)
    #expect(delays.minimum >= 20)
    #expect((20...30).contains(delays.median))
    #expect((3...7.5).contains(traffic.lossPercent), "\(traffic.lossPercent) %")
    #expect((130...260).contains(traffic.copies), "\(traffic.copies) copies")
    _ = link.end()
    // The printed counters know of other frames too: addresses being resolved, knocking.
    let lost = try #require(link.counter("lost", to: 1))
    #expect((60...190).contains(lost))
    let copies = try #require(link.counter("duplicated", to: 1))
    #expect((traffic.copies...traffic.copies + 40).contains(copies))
    #expect(try #require(link.counter("forwarded", to: 1)) >= 1850)
    #expect(link.counter("dropped", to: 1) == 0)
  }

  @Test func `detours are overtaken, all else keeps order`() throws {
    let link = try LinkProcess(
      ["--jitter", "uniform:10", "--reorder", "10:30"], in: directory)
    let a = try NodeSocket(.v4, in: link.namespace(0))
    let b = try NodeSocket(.v4, in: link.namespace(1))
    let traffic = try NumberedTraffic(
      count: 1500, from: a, to: b, at: NodeSocket.address(.v4, ofNode: 1))
    _ = link.end()
    let detours = try #require(link.counter("reordered", to: 1))
    #expect((90...230).contains(detours))
    #expect(traffic.overtaken <= detours)
    #expect(Double(traffic.overtaken) > 0.8 * Double(detours))
    #expect(traffic.lossPercent == 0)
  }

  @Test func `the rate cap drops what is too much and delays the rest`() throws {
    let link = try LinkProcess(["--rate", "64", "--queue", "100"], in: directory)
    let a = try NodeSocket(.v4, in: link.namespace(0))
    let b = try NodeSocket(.v4, in: link.namespace(1))
    // 30 bytes of IP packet each 2 ms are 120 kbit/s.
    let traffic = try NumberedTraffic(
      count: 2000, from: a, to: b, at: NodeSocket.address(.v4, ofNode: 1))
    let delays = Distribution(traffic.delays)
    #expect((85...130).contains(delays.median), "\(delays.median) ms")
    // More is lost where the machine stalls: what it then sends at once finds the queue full.
    #expect((25...90).contains(traffic.lossPercent), "\(traffic.lossPercent) %")
    _ = link.end()
    let lost = Int((traffic.lossPercent * 20).rounded())
    #expect((lost...lost + 50).contains(try #require(link.counter("dropped", to: 1))))
    #expect(link.counter("lost", to: 1) == 0)
  }

  @Test func `its own latency is printed, and small`() throws {
    let link = try LinkProcess([], in: directory)
    let a = try NodeSocket(.v4, in: link.namespace(0))
    let b = try NodeSocket(.v4, in: link.namespace(1))
    _ = try NumberedTraffic(
      count: 1000, from: a, to: b, at: NodeSocket.address(.v4, ofNode: 1))
    _ = link.end()
    let median = try #require(link.addedLatencyMicroseconds, "\(link.process.output)")
    #expect((1..<1000).contains(median), "\(link.process.output)")
  }

  @Test func `addresses are resolved through the link`() throws {
    let link = try LinkProcess(["--delay", "5"], in: directory)
    let a = try NodeSocket(.v4, in: link.namespace(0))
    let b = try NodeSocket(.v4, in: link.namespace(1))
    _ = try NumberedTraffic(count: 1, from: a, to: b, at: NodeSocket.address(.v4, ofNode: 1))
    let neighbours = try ChildProcess(
      "ip", ["-n", link.namespace(0), "neighbour", "show"],
      outputPath: directory.file("neighbours"))
    #expect(try neighbours.wait(within: 10) == 0)
    #expect(neighbours.output.contains("10.77.0.2 dev eth0 lladdr "))
  }

  @Test(arguments: [
    (NodeSocket.Family.v4, "239.77.0.1"), (.v4, "10.77.0.255"), (.v6, "ff15::77"),
  ])
  func `what is for a group reaches the two others`(
    family: NodeSocket.Family, group: String
  ) throws {
    let link = try LinkProcess(nodeCount: 3, ["--delay", "5"], in: directory)
    let sender = try NodeSocket(family, in: link.namespace(0))
    let b = try NodeSocket(family, in: link.namespace(1))
    let c = try NodeSocket(family, in: link.namespace(2))
    if group.hasSuffix(".255") {
      sender.allowBroadcast()
    } else {
      try #require(b.join(group) && c.join(group))
    }
    for message in 1...20 as ClosedRange<UInt8> {
      sender.send([message], to: group)
      pause(seconds: 0.01)
    }
    let expected = (1...20).map { [UInt8($0)] }
    var heard: [[[UInt8]]] = [[], []]
    try waitUntil("both", within: 10, detail: { "\(heard)" }) { () throws(RigError) in
      while let message = b.receive() { heard[0].append(message) }
      while let message = c.receive() { heard[1].append(message) }
      return heard.allSatisfy { $0.count >= 20 }
    }
    #expect(heard == [expected, expected])
  }

  @Test func `parts of a split network hear nothing of each other until they are joined`() throws {
    let link = try LinkProcess(nodeCount: 4, [], in: directory)
    let a = try NodeSocket(.v4, in: link.namespace(0))
    let b = try NodeSocket(.v4, in: link.namespace(1))
    let c = try NodeSocket(.v4, in: link.namespace(2))
    let d = try NodeSocket(.v4, in: link.namespace(3))
    /// Which of the others hear a datagram of the first within two seconds.
    func heard(_ message: UInt8) -> Set<Int> {
      var ears: Set<Int> = []
      try? waitUntil("the ears", within: 2, interval: 0.02) { () throws(RigError) in
        for node in 1..<4 { a.send([message], to: NodeSocket.address(.v4, ofNode: node)) }
        while let got = b.receive() { if got == [message] { ears.insert(1) } }
        while let got = c.receive() { if got == [message] { ears.insert(2) } }
        while let got = d.receive() { if got == [message] { ears.insert(3) } }
        return ears.count == 3
      }
      return ears
    }
    #expect(heard(1) == [1, 2, 3])
    try link.split([[0, 2], [1]])
    pause(seconds: 0.2)
    #expect(heard(2) == [2])
    try link.join()
    #expect(heard(3) == [1, 2, 3])
  }

  @Test func `a stream of large writes passes whole`() throws {
    let link = try LinkProcess(["--delay", "1"], in: directory)
    let server = try NodeSocket(.v4, in: link.namespace(1), type: SOCK_STREAM)
    #expect(listen(server.descriptor, 1) == 0)
    let client = try NodeSocket(.v4, in: link.namespace(0), type: SOCK_STREAM)
    client.connect(to: NodeSocket.address(.v4, ofNode: 1))
    var accepted: Int32 = -1
    try waitUntil("a connection", within: 10) { () throws(RigError) in
      accepted = accept(server.descriptor, nil, nil)
      return accepted >= 0
    }
    defer { close(accepted) }
    #expect(fcntl(accepted, F_SETFL, O_NONBLOCK) == 0)
    let data = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var sent = 0
    var received: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    try waitUntil(
      "a megabyte", within: 30, interval: 0.001, detail: { "\(sent) sent, \(received.count) here" }
    ) { () throws(RigError) in
      let rest = Array(data[sent...].prefix(65536))
      sent += max(0, unsafe send(client.descriptor, rest, rest.count, Int32(MSG_NOSIGNAL)))
      let count = unsafe recv(accepted, &part, part.count, 0)
      if count > 0 { received += part[..<count] }
      return received.count >= data.count
    }
    #expect(received == data)
  }

  @Test func `a change comes at its time`() throws {
    let link = try LinkProcess(["--at", "1.5", "--loss", "100"], in: directory)
    let a = try NodeSocket(.v4, in: link.namespace(0))
    let b = try NodeSocket(.v4, in: link.namespace(1))
    let traffic = try NumberedTraffic(
      count: 800, from: a, to: b, at: NodeSocket.address(.v4, ofNode: 1))
    #expect((10...95).contains(traffic.lossPercent), "\(traffic.lossPercent) %")
  }
}
