import Cryptography
import EventLoop
import Media
import Mesh
import RTP
import TestKit

@testable import Intercom

/// A member that speaks RTCP as a node does and can be told to misbehave.
final class ScriptedPeer: VirtualHost {
  let addresses: [SocketAddress]
  /// The node that it talks to.
  let node: SocketAddress
  let id: NodeID
  private(set) var name: String
  private(set) var reports: PeerReports
  private let ssrc: UInt32
  private let sender: SRTPSender
  private let receiver = SRTPReceiver()
  /// Whether it reads what comes; without it never proves its address.
  var listens = true
  /// Whether it reports.
  var speaks = true
  /// Whether it encrypts nothing.
  var speaksInClear = false
  private(set) var nextNanoseconds: Int64 = 0
  private static let silence = SenderCounters(
    packets: 0, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: 0))
  private var outbox: [Datagram] = []

  /// A peer at an address that wants to talk to a node; a stranger until ``VirtualNode/meet(_:at:_:)``.
  init(
    _ name: String, at address: SocketAddress, to node: SocketAddress, ssrc: UInt32
  ) throws {
    addresses = [address]
    (self.node, self.name, self.ssrc) = (node, name, ssrc)
    id = .named("scripted \(ssrc)")
    sender = SRTPSender(try SRTPSendingKey(epoch: 0))
    reports = Self.session(ssrc, name)
  }

  /// The key that it protects with.
  var ownKey: MediaKey { sender.withSecret { MediaKey(epoch: 0, ssrc: ssrc, secret: $0) } }

  /// Takes the node's key.
  func install(_ key: MediaKey) throws { try receiver.add(key) }

  /// Calls itself otherwise from now on.
  func rename(_ name: String) {
    self.name = name
    reports = Self.session(ssrc, name)
  }

  private static func session(_ ssrc: UInt32, _ name: String) -> PeerReports {
    PeerReports(
      ssrc: SSRC(rawValue: ssrc), canonicalName: "scripted@\(ssrc)", name: name,
      seed: UInt64(ssrc))
  }

  func run(nowNanoseconds: Int64, arrivals: [Datagram]) -> [Datagram] {
    nextNanoseconds = nowNanoseconds + 5_000_000
    for datagram in arrivals where listens && datagram.isReport { hear(datagram) }
    if speaks, nowNanoseconds >= reports.nextReportNanoseconds {
      say { bytes in
        reports.makeReport(sender: Self.silence, nowNanoseconds: nowNanoseconds, into: &bytes)
      }
    }
    defer { outbox.removeAll() }
    return outbox
  }

  private func hear(_ datagram: Datagram) {
    var plain = [UInt8](repeating: 0, count: datagram.bytes.count)
    var span = plain.mutableSpan
    var room = unsafe span.mutableBytes
    guard
      let byteCount = try? unsafe receiver.unprotectControl(
        datagram.bytes.span.bytes, into: &room)
    else { return }
    _ = try? reports.handle(
      unsafe plain.span.bytes.extracting(first: byteCount),
      nowNanoseconds: datagram.arrivalNanoseconds)
  }

  /// Sends a compound of reports with its next run.
  func say(_ fill: (inout MutableRawSpan) -> Int) {
    var bytes = [UInt8](repeating: 0, count: 1200)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let plainBytes = fill(&raw)
    let byteCount =
      speaksInClear
      ? plainBytes : (try? sender.protectControl(&raw, byteCount: plainBytes)) ?? 0
    outbox.append(
      Datagram(source: node, destination: node, bytes: Array(bytes.prefix(byteCount))))
  }

  /// Says goodbye by RTCP (RFC 3550 §6.6) with its next run.
  func sayGoodbye() {
    let octets = (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * $0)) }
    let compound = [0x80, 201, 0, 1] + octets + [0x81, 203, 0, 1] + octets
    say { bytes in
      for (offset, octet) in compound.enumerated() {
        bytes.storeBytes(of: octet, toByteOffset: offset, as: UInt8.self)
      }
      return compound.count
    }
  }
}

extension SRTPReceiver {
  /// Takes the key that a member was handed.
  func add(_ key: MediaKey) throws {
    let secret = try unsafe SecretBytes(copying: key.octets.span.bytes)
    add(
      try SRTPReceivingKey(
        try SRTPSessionKey(epoch: UInt8(truncatingIfNeeded: key.epoch), secret: secret)))
  }
}

extension MediaKey {
  /// A key of the stream for all members.
  init(epoch: UInt64, ssrc: UInt32, secret: RawSpan) {
    self.init(
      stream: 0, ssrc: ssrc, epoch: epoch,
      octets: secret.byteOffsets.map {
        unsafe secret.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
      })
  }
}
