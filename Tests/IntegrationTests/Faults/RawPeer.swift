import Media
import RTP
import StatusSchema
import TestRig

/// A bare peer: it answers a node's reports, so that the node takes it for a real one, and sends
/// whatever a test wants from the address that the node trusts.
final class RawPeer {
  /// The stream it announces.
  let ssrc: UInt32
  private let name: String
  private let node: NodeProcess
  private let nodePort: Int
  private let socket: ForeignSocket
  private let reports: PeerReports

  /// Introduces itself to the node and serves until the node lists it as connected.
  init(_ name: String, meeting node: NodeProcess, port: Int) throws(RigError) {
    self.name = name
    self.node = node
    nodePort = port
    ssrc = UInt32.random(in: 1 ... .max)
    socket = try ForeignSocket()
    reports = PeerReports(
      ssrc: SSRC(rawValue: ssrc), canonicalName: "raw-\(ssrc)", name: name, seed: UInt64(ssrc))
    try meet()
  }

  /// Serves until the node lists it as connected, as it may not any more after a long pause.
  func meet() throws(RigError) {
    try waitUntil("the raw peer's connection", within: 20) { () throws(RigError) in
      serve()
      return try node.status().peers.contains { $0.name == name && $0.state == .connected }
    }
  }

  /// Reads what came and reports when it is time; to be called some times a second.
  func serve() {
    while let bytes = socket.receive() {
      let octets = bytes.span
      let span = unsafe octets.bytes
      guard DatagramKind.classify(span) == .rtcp else { continue }
      _ = try? reports.handle(span, nowNanoseconds: monotonicNanoseconds())
    }
    let now = monotonicNanoseconds()
    guard now >= reports.nextReportNanoseconds else { return }
    send(report(nowNanoseconds: now))
  }

  /// Its next report, as it would go out.
  func report(nowNanoseconds now: Int64) -> [UInt8] {
    let counters = SenderCounters(
      packets: 0, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: 0))
    return Datagram.written { reports.makeReport(sender: counters, nowNanoseconds: now, into: &$0) }
  }

  /// An empty report under another name.
  func report(named name: String) -> [UInt8] {
    let item = [2, UInt8(name.utf8.count)] + Array(name.utf8)
    let end = [UInt8](repeating: 0, count: 4 - item.count % 4)
    let chunk = Self.octets(ssrc) + item + end
    let head: [UInt8] = [0x81, 202, 0, UInt8(chunk.count / 4)]
    return [0x80, 201, 0, 1] + Self.octets(ssrc) + head + chunk
  }

  /// Sends anything.
  func send(_ bytes: [UInt8]) { socket.send(bytes, to: nodePort) }

  /// Leaves as RFC 3550 §6.6 has it.
  func sayGoodbye() { send(Datagram.written { reports.makeBye(into: &$0) }) }

  private static func octets(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
