import Foundation

@testable import TestRig

/// What `tshark` makes of the datagrams of a capture, taken for RTP and RTCP on the same ports.
struct Dissection {
  /// One datagram.
  struct Datagram {
    /// UDP port it was sent from.
    var sourcePort: Int
    /// The protocols found, outermost first, as `eth:ethertype:ip:udp:rtp:opus`.
    var protocols: String
    /// The RTP packet, if it is one.
    var rtp: RTP?
    /// Types of the RTCP packets of a compound (RFC 3550 §12.1), in order.
    var rtcpTypes: [Int]
    /// For each compound tshark's word on whether its lengths add up.
    var rtcpLengthChecks: [Bool]
    /// Severities of the remarks tshark's experts have on it.
    var remarks: [String]
    /// Whether it contradicts its protocol's format.
    var isMalformed: Bool
  }

  /// The header of an RTP packet and the first bits of its payload.
  struct RTP: Equatable {
    var version: Int
    var payloadType: Int
    var ssrc: String
    var sequenceNumber: Int
    var timestamp: UInt32
    /// Elements of the header extension (RFC 8285), by identifier.
    var extensionIdentifiers: [Int]
    /// Opus' configuration (RFC 6716 §3.1); nil: the payload was not dissected as Opus.
    var opusConfiguration: Int?
  }

  private static let fields = [
    "udp.srcport", "frame.protocols", "rtp.version", "rtp.p_type", "rtp.ssrc", "rtp.seq",
    "rtp.timestamp", "rtp.ext.rfc5285.id", "opus.TOC.config", "rtcp.pt", "rtcp.length_check",
    "_ws.expert.severity", "_ws.malformed",
  ]

  /// In the capture's order.
  let datagrams: [Datagram]

  /// Dissects everything in a file.
  ///
  /// - Parameters:
  ///   - rtpPorts: where RTP is to be expected, for which RTP itself has no means to tell.
  ///   - opusPayloadType: what a session description would say; it would say 112 for copies (RFC 2198).
  /// - Throws: `RigError`.
  init(
    of path: String, rtpPorts: [Int], opusPayloadType: Int, in directory: TemporaryDirectory
  ) throws(RigError) {
    var arguments = ["-n", "-r", path, "-T", "fields", "-E", "separator=|"]
    for port in rtpPorts { arguments += ["-d", "udp.port==\(port),rtp"] }
    arguments += ["-d", "rtp.pt==\(opusPayloadType),opus", "-d", "rtp.pt==112,rtp_rfc2198"]
    for field in Self.fields { arguments += ["-e", field] }
    let table = directory.file("dissection")
    guard FileManager.default.createFile(atPath: table, contents: nil),
      let output = FileHandle(forWritingAtPath: table)
    else { throw .file(path: table, reason: "cannot be written") }
    let tshark = try ChildProcess(
      "tshark", arguments, outputPath: directory.file("tshark.log"),
      standardOutput: output.fileDescriptor)
    guard try tshark.wait(within: 60) == 0 else {
      throw .ended(
        command: tshark.command, status: tshark.endStatus ?? 255, output: tshark.outputTail())
    }
    datagrams = (text(ofFile: table) ?? "").split(separator: "\n").map(Self.datagram)
  }

  /// The datagrams of one sender.
  func datagrams(from port: Int) -> [Datagram] {
    datagrams.filter { $0.sourcePort == port }
  }

  private static func datagram(_ line: Substring) -> Datagram {
    let columns = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    let values = Dictionary(uniqueKeysWithValues: zip(fields, columns))
    func list(_ field: String) -> [String] {
      (values[field] ?? "").split(separator: ",").map(String.init)
    }
    return Datagram(
      sourcePort: list("udp.srcport").first.flatMap(Int.init) ?? 0,
      protocols: values["frame.protocols"] ?? "", rtp: rtp(list),
      rtcpTypes: list("rtcp.pt").compactMap(Int.init),
      rtcpLengthChecks: list("rtcp.length_check").map { $0 == "1" || $0 == "True" },
      remarks: list("_ws.expert.severity"), isMalformed: !list("_ws.malformed").isEmpty)
  }

  private static func rtp(_ list: (String) -> [String]) -> RTP? {
    func number(_ field: String) -> Int? { list(field).first.flatMap(Int.init) }
    guard let version = number("rtp.version"), let payloadType = number("rtp.p_type"),
      let ssrc = list("rtp.ssrc").first, let sequenceNumber = number("rtp.seq"),
      let timestamp = number("rtp.timestamp")
    else { return nil }
    return RTP(
      version: version, payloadType: payloadType, ssrc: ssrc, sequenceNumber: sequenceNumber,
      timestamp: UInt32(truncatingIfNeeded: timestamp),
      extensionIdentifiers: list("rtp.ext.rfc5285.id").compactMap(Int.init),
      opusConfiguration: number("opus.TOC.config"))
  }
}
