import EventLoop
import Media

/// One address of a member: reports, round trip, timing, and what is done about losses on the way there.
///
/// States and events:
/// - `told`: told to us, not heard (yet, or any more). We report to it once a second.
/// - `heard`: a report came from there. Until it has echoed one of ours (no return routability: the address may be
///   forged) it gets reports and no audio; one that nobody told is dropped after 3 s.
/// A path that is confirmed can carry the member's session; one of them does (``Session/active``).
/// ``Limit/goneNanoseconds`` without RTP and RTCP takes it back to `told`, or away.
///
/// Loop thread only.
final class Path {
  enum State { case told, heard }

  /// Times of the state machine.
  ///
  /// Two missed reports (RFC 3550 §6.2, interval 1 s ± 25 %) mark a member silent.
  enum Limit {
    static let silentNanoseconds: Int64 = 2_600_000_000
    static let goneNanoseconds: Int64 = 4_500_000_000
    static let unconfirmedNanoseconds: Int64 = 3_000_000_000
  }

  let address: SocketAddress
  let reports: PeerReports
  private let createdNanoseconds: Int64
  /// Whether the member told it: then it is called again and again, and keeps its place.
  private(set) var isTold: Bool
  private(set) var state = State.told
  /// When the last authentic datagram came from there, and the last of them with sound.
  private var authenticNanoseconds: Int64 = .min / 2
  private(set) var mediaNanoseconds: Int64 = .min / 2
  /// What is done about losses on the way there; nil before it first carried the session.
  private(set) var repair: RepairSession?

  init(
    to address: SocketAddress, isTold: Bool, reports: PeerReports, nowNanoseconds: Int64
  ) {
    self.address = address
    self.isTold = isTold
    self.reports = reports
    createdNanoseconds = nowNanoseconds
  }

  /// When the last valid report or packet came; before the first, when the path was added.
  var heardNanoseconds: Int64 {
    max(reports.lastHeardNanoseconds ?? createdNanoseconds, authenticNanoseconds)
  }

  /// Which path is given up first: one that was never heard, then the oldest.
  func isStaler(than other: Path) -> Bool {
    let standing = (state == .told ? 0 : 1, other.state == .told ? 0 : 1)
    return (standing.0, createdNanoseconds) < (standing.1, other.createdNanoseconds)
  }

  /// An authentic datagram of its member came from this address.
  func isHeard(sendingMedia: Bool, nowNanoseconds: Int64) {
    authenticNanoseconds = max(authenticNanoseconds, nowNanoseconds)
    if sendingMedia { mediaNanoseconds = authenticNanoseconds }
  }

  /// A report came from there, or its echo proved that what is sent there arrives.
  func answers() { state = .heard }

  /// The member tells this address, too, or tells it no more.
  func tell(_ isTold: Bool) { self.isTold = isTold }

  /// The session goes this way from now on: its losses and queues are new.
  func carry(with repair: RepairSession) { self.repair = repair }

  /// Nothing is sent this way any more.
  func rest() { repair = nil }

  /// Nothing came for too long.
  func isGone(isSpare: Bool, nowNanoseconds: Int64) -> Bool {
    guard state == .heard else { return false }
    let quiet = nowNanoseconds - heardNanoseconds
    if isSpare, reports.isConfirmed { return quiet > Limit.goneNanoseconds }
    let age = nowNanoseconds - createdNanoseconds
    let isStranger = !isTold && !reports.isConfirmed
    return quiet > Limit.unconfirmedNanoseconds
      || isStranger && age > Limit.unconfirmedNanoseconds
  }

  /// When it has a report to send, or may be gone; where it carries its session that judges by itself.
  func dueNanoseconds(carries: Bool, isSpare: Bool) -> Int64 {
    let report = reports.nextReportNanoseconds
    guard !carries, state == .heard else { return report }
    if isSpare, reports.isConfirmed {
      return min(report, heardNanoseconds + Limit.goneNanoseconds + 1)
    }
    let isStranger = !isTold && !reports.isConfirmed
    let since = isStranger ? min(heardNanoseconds, createdNanoseconds) : heardNanoseconds
    return min(report, since + Limit.unconfirmedNanoseconds + 1)
  }

  /// Takes the member for gone from there: who is heard next has to be confirmed.
  func forget() {
    reports.forgetRemote()
    repair = nil
    state = .told
  }
}
