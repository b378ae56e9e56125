import Audio
import EventLoop
import Media

/// One address of a member, confined to the loop thread.
///
/// States and events:
/// - `connecting`: told to us, not heard (yet, or any more). We report to it once a second.
/// - `contacted`: heard, but its report has not echoed one of ours (no return routability: the address may be forged).
///   It gets reports, no audio, no JACK port; one that was not told to us is dropped after 3 s.
/// - `connected`: it echoed a report of ours. It has a stream, a slot in the mix and a port.
/// - `duplicate`: another entry of the member is connected; this one gets reports, and media go to that one.
/// ``Limit/goneNanoseconds`` without RTP and RTCP from whichever address of the member takes it back to `connecting` or
/// out of the table; the stream moves between the member's entries (`Station+Roaming.swift`).
final class Peer {
  enum State { case connecting, contacted, connected, duplicate }

  /// Times of the state machine.
  ///
  /// Two missed reports (RFC 3550 §6.2, interval 1 s ± 25 %) mark a peer silent.
  enum Limit {
    static let silentNanoseconds: Int64 = 2_600_000_000
    static let goneNanoseconds: Int64 = 4_500_000_000
    static let unconfirmedNanoseconds: Int64 = 3_000_000_000
  }

  /// Whether the member told it: then it is called again and again, and keeps its place.
  var isNamedByUs: Bool
  let address: SocketAddress
  let reports: PeerReports
  var state = State.connecting
  let createdNanoseconds: Int64
  /// Whose address it is.
  let member: Member
  /// When its last authentic datagram came, and the last of them with sound.
  private(set) var authenticNanoseconds: Int64 = .min / 2
  private(set) var mediaNanoseconds: Int64 = .min / 2
  /// When its last valid report or packet came; before the first, when it was added.
  var heardNanoseconds: Int64 {
    max(reports.lastHeardNanoseconds ?? createdNanoseconds, authenticNanoseconds)
  }
  /// When the node itself was heard, at whichever address.
  var presenceNanoseconds: Int64 { member.heardNanoseconds }
  /// What it calls itself, or until then what it was admitted as.
  var calledName: String { reports.remoteName.isEmpty ? member.name : reports.remoteName }
  /// Which entry is given up first: one that was never heard.
  var standing: Int { state == .connecting ? 0 : 1 }
  /// Unique, sanitized; empty until the peer told it.
  var name = ""
  /// What ``name`` was made of, as the peer told it.
  var toldName = ""
  var renamedNanoseconds: Int64 = .min / 2
  var settings = PeerSettings()

  var slot: PeerSlot?
  var stream: PeerStream?
  var sink: PlayoutSink?
  /// Whether JACK's session has yet to take on the wish for a port of this name.
  var isPortAwaited = false
  var isPortDelayTold = false

  /// Packets of its stream that had come too late at the last report to it.
  var toldLatePackets = 0
  /// What is done about the losses on the way to it; while connected.
  var repair: RepairSession?
  /// How good it is heard.
  var quality = QualityMeter()
  /// Packets of sound sent to it since it is connected, and the octets of their payload, copies included.
  var (sentPackets, sentOctets) = (0, 0)

  /// Payload octets at the last look and the rate derived from it.
  var rateOctets = 0
  var receivedBitsPerSecond = 0

  init(
    address: SocketAddress, of member: Member, isNamedByUs: Bool, reports: PeerReports,
    nowNanoseconds: Int64
  ) {
    self.address = address
    self.member = member
    self.isNamedByUs = isNamedByUs
    self.reports = reports
    createdNanoseconds = nowNanoseconds
  }

  /// An authentic datagram of its member came from this address.
  func isHeard(sendingMedia: Bool, nowNanoseconds: Int64) {
    authenticNanoseconds = max(authenticNanoseconds, nowNanoseconds)
    if sendingMedia { mediaNanoseconds = authenticNanoseconds }
  }
}
