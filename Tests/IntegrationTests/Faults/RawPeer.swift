import Media
import RTP
import StatusSchema
import TestKit
import TestRig

/// A bare member: it answers a node's reports, so that the node takes it for a real one, and sends
/// whatever a test wants, protected or not, from the address that the node trusts.
final class RawPeer {
  /// The stream it announces.
  let ssrc: UInt32
  /// Whether it says whatever it hears of the node.
  private let echoes: Bool
  private let name: String
  private let node: NodeProcess
  private let nodePort: Int
  private let nodeSSRC: UInt32
  private let socket: ForeignSocket
  private let reports: PeerReports
  private let member: RawMember
  private let hear: (_ plain: [UInt8], _ isReport: Bool) -> Void
  private var sequence: UInt16 = 0

  /// Introduces itself to the node and serves until the node lists it as connected.
  ///
  /// - Parameter hear: gets what the node sends to it, decrypted.
  init(
    _ name: String, meeting node: NodeProcess, port: Int, echoes: Bool = false,
    hear: @escaping (_ plain: [UInt8], _ isReport: Bool) -> Void = { _, _ in }
  ) throws(RigError) {
    (self.name, self.node, self.echoes, self.hear) = (name, node, echoes, hear)
    nodePort = port
    ssrc = UInt32.random(in: 1 ... .max)
    try node.waitUntilReady(within: 30)
    nodeSSRC = try node.status().node.ssrc
    socket = try ForeignSocket()
    member = try RawMember(name, ssrc: ssrc, mediaPort: socket.port, calling: port)
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
      let kind = unsafe DatagramKind.classify(bytes.span.bytes)
      guard kind != .unknown,
        let plain = member.open(bytes, isReport: kind == .rtcp, ofStream: nodeSSRC)
      else { continue }
      take(plain, isReport: kind == .rtcp)
      hear(plain, kind == .rtcp)
    }
    let now = monotonicNanoseconds()
    guard now >= reports.nextReportNanoseconds else { return }
    sendSealed(report(nowNanoseconds: now), isReport: true)
  }

  private func take(_ plain: [UInt8], isReport: Bool) {
    let (bytes, now) = (unsafe plain.span.bytes, monotonicNanoseconds())
    guard !isReport else {
      _ = try? reports.handle(bytes, nowNanoseconds: now)
      return
    }
    guard let packet = try? RTPPacket(parsing: bytes) else { return }
    _ = reports.receive(packet.header, arrivalNanoseconds: now)
    if echoes { sendMedia(Array(plain[packet.payload])) }
  }

  /// Its next report, as it is before it is protected.
  func report(nowNanoseconds now: Int64) -> [UInt8] {
    let counters = SenderCounters(
      packets: 0, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: 0))
    return Datagram.written { reports.makeReport(sender: counters, nowNanoseconds: now, into: &$0) }
  }

  /// An empty report under another name.
  func report(named name: String) -> [UInt8] {
    let item = [2, UInt8(name.utf8.count)] + Array(name.utf8)
    let end = [UInt8](repeating: 0, count: 4 - item.count % 4)
    let chunk = octets + item + end
    let head: [UInt8] = [0x81, 202, 0, UInt8(chunk.count / 4)]
    return emptyReport + head + chunk
  }

  /// Its SSRC as it stands in a packet.
  var octets: [UInt8] { Datagram.octets(of: ssrc) }

  /// An empty receiver report (RFC 3550 §6.4.2): what a compound begins with.
  var emptyReport: [UInt8] { [0x80, 201, 0, 1] + octets }

  /// Sends anything, as it is.
  func send(_ bytes: [UInt8]) { socket.send(bytes, to: nodePort) }

  /// Protects and sends anything that can be.
  func sendSealed(_ plain: [UInt8], isReport: Bool) {
    if let sealed = member.seal(plain, isReport: isReport) { send(sealed) }
  }

  /// Protects and sends bytes as the payload of a packet, or behind a compound's first 8 octets.
  func sendSealedRubbish(_ bytes: [UInt8], using random: inout SplitMix64) {
    if random.chance(0.5) {
      sendMedia(Array(bytes.prefix(1200)), payloadType: random.chance(0.5) ? 111 : 112)
    } else {
      let head = [
        0x80 | UInt8.random(in: 0...0x3f, using: &random), .random(in: 200...207, using: &random),
      ]
      sendSealed(head + [0, 1] + octets + bytes.dropFirst(8), isReport: true)
    }
  }

  /// Protects and sends the stream's next packet, or one of the SSRC of those that are sent again.
  func sendMedia(
    _ payload: [UInt8] = [0xf0, 1, 2, 3], payloadType: UInt8 = Datagram.payloadType,
    isPadded: Bool = false, isResentStream: Bool = false
  ) {
    sequence &+= 1
    var packet = Datagram.media(
      ssrc: isResentStream ? ~ssrc : ssrc, sequence: sequence,
      timestamp: UInt32(sequence) &* 480, payloadType: payloadType, payload: payload)
    if isPadded { packet[0] |= 0x20 }
    sendSealed(packet, isReport: false)
  }
}
