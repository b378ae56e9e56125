import EventLoop
import Media
import RTP
import TestKit

/// A peer that speaks RTCP as a node does and can be told to misbehave.
final class ScriptedPeer: VirtualHost {
  let addresses: [SocketAddress]
  let node: SocketAddress
  private(set) var reports: PeerReports
  private var ssrc: UInt32
  private var canonicalName: String
  /// Whether it reads what comes; without it never proves its address.
  var listens = true
  /// Whether it reports.
  var speaks = true
  /// Whether it sends no SDES, against RFC 3550 §6.1.
  var leavesOutDescription = false
  private(set) var nextNanoseconds: Int64 = 0
  private static let silence = SenderCounters(
    packets: 0, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: 0))
  private var outbox: [Datagram] = []

  /// A peer at an address that wants to talk to a node; `ssrc` and `canonicalName` are its identity.
  init(
    _ name: String, at address: SocketAddress, to node: SocketAddress, ssrc: UInt32,
    canonicalName: String? = nil
  ) {
    addresses = [address]
    self.node = node
    self.ssrc = ssrc
    self.canonicalName = canonicalName ?? "\(name)@\(address)"
    reports = Self.session(ssrc, self.canonicalName, name)
  }

  /// Starts anew, as another process at the same address does.
  func restart(_ name: String, ssrc: UInt32, canonicalName: String) {
    (self.ssrc, self.canonicalName) = (ssrc, canonicalName)
    reports = Self.session(ssrc, canonicalName, name)
  }

  /// Calls itself otherwise from now on.
  func rename(_ name: String) { reports = Self.session(ssrc, canonicalName, name) }

  private static func session(_ ssrc: UInt32, _ canonicalName: String, _ name: String)
    -> PeerReports
  {
    PeerReports(
      ssrc: SSRC(rawValue: ssrc), canonicalName: canonicalName, name: name, seed: UInt64(ssrc))
  }

  func run(nowNanoseconds: Int64, arrivals: [Datagram]) -> [Datagram] {
    nextNanoseconds = nowNanoseconds + 5_000_000
    for datagram in arrivals where listens && datagram.isReport {
      _ = try? reports.handle(
        unsafe datagram.bytes.span.bytes, nowNanoseconds: datagram.arrivalNanoseconds)
    }
    if speaks, nowNanoseconds >= reports.nextReportNanoseconds {
      say { bytes in
        reports.makeReport(sender: Self.silence, nowNanoseconds: nowNanoseconds, into: &bytes)
      }
    }
    defer { outbox.removeAll() }
    return outbox
  }

  /// Sends a farewell with its next run.
  func sayGoodbye() {
    speaks = false
    say { bytes in reports.makeBye(into: &bytes) }
  }

  /// Sends anything with its next run.
  func say(_ fill: (inout MutableRawSpan) -> Int) {
    var bytes = [UInt8](repeating: 0, count: 1200)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let byteCount = fill(&raw)
    var datagram = Datagram(
      source: node, destination: node, bytes: Array(bytes.prefix(byteCount)))
    if leavesOutDescription { datagram.removePackets(ofType: 202) }
    outbox.append(datagram)
  }
}
