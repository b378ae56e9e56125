import Media
import RTP
import TestKit

/// Bytes that a node may find in its socket, good and bad.
enum Datagram {
  /// Opus' payload type between nodes.
  static let payloadType: UInt8 = 111

  /// An RTP packet (RFC 3550 §5.1).
  static func media(
    ssrc: UInt32, sequence: UInt16 = 1, timestamp: UInt32 = 480, payloadType: UInt8 = payloadType,
    payload: [UInt8] = [0xf0, 1, 2, 3]
  ) -> [UInt8] {
    let header = RTPHeader(
      marker: false, payloadType: payloadType, sequenceNumber: SequenceNumber(rawValue: sequence),
      timestamp: RTPTimestamp(rawValue: timestamp), ssrc: SSRC(rawValue: ssrc))
    return written(capacity: RTPHeader.maximumByteCount) { header.write(into: &$0) } + payload
  }

  /// A whole first report of somebody who calls himself so (RFC 3550 §6.4.2 and §6.5).
  static func report(ssrc: UInt32, canonicalName: String, name: String = "Forged") -> [UInt8] {
    let reports = PeerReports(
      ssrc: SSRC(rawValue: ssrc), canonicalName: canonicalName, name: name, seed: UInt64(ssrc))
    let silence = SenderCounters(
      packets: 0, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: 0))
    return written { reports.makeReport(sender: silence, nowNanoseconds: 0, into: &$0) }
  }

  /// An SSRC as it stands in a packet.
  static func octets(of ssrc: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * $0)) }
  }

  /// An empty receiver report (RFC 3550 §6.4.2): what a compound begins with.
  static let receiverReport: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 9]

  /// Random bytes, of which `length` is a mean, or a valid datagram with some bytes changed.
  static func fuzzed(_ seeds: [[UInt8]], using random: inout SplitMix64) -> [UInt8] {
    if random.chance(0.5), var bytes = seeds.randomElement(using: &random), !bytes.isEmpty {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: .min ... .max, using: &random)
      }
      if random.chance(0.3) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      return bytes
    }
    let length = Int.random(in: 0...(random.chance(0.1) ? 1600 : 160), using: &random)
    var bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    if length > 1, random.chance(0.7) {
      bytes[0] = 0x80 | (bytes[0] & 0x3f)
      if random.chance(0.5) { bytes[1] = UInt8.random(in: 200...207, using: &random) }
    }
    return bytes
  }

  /// What a writer of this project writes.
  static func written(
    capacity: Int = 1200, _ write: (inout MutableRawSpan) -> Int
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: capacity)
    var octets = bytes.mutableSpan
    var span = unsafe octets.mutableBytes
    return Array(bytes[..<write(&span)])
  }
}
