import Cryptography
import EventLoop
import Media
import RTP

/// The sessions of a node, found by who the member is, by the SSRC that a datagram shows in clear, and by address.
///
/// Loop thread only; what is called per datagram allocates nothing.
struct SessionTable {
  private static let mostFormer = 64 * ReportedStreams.limit

  /// A stream that is over, as its member left or otherwise:
  /// a recording must not be accepted when one returns in the same session.
  private struct Former {
    let node: NodeID
    let keys: ReceivingKeys
  }

  /// In the order in which they were admitted.
  private(set) var all: [Session] = []
  private var byNode: [NodeID: Session] = [:]
  private var bySSRC: [UInt32: Session] = [:]
  private var byAddress: [SocketAddress: Session] = [:]
  /// The latest last.
  private var former: [Former] = []

  /// Room for so many sessions.
  init(capacity: Int) {
    all.reserveCapacity(capacity)
    byNode.reserveCapacity(capacity)
    bySSRC.reserveCapacity(2 * capacity * ReportedStreams.limit)
    byAddress.reserveCapacity(capacity * Session.mostAddresses)
  }

  subscript(node: NodeID) -> Session? { byNode[node] }

  /// Whose address it is.
  func owner(of address: SocketAddress) -> Session? { byAddress[address] }

  /// Adds a session of a member that has none.
  mutating func add(_ session: Session) {
    precondition(byNode[session.node] == nil, "a member has one session")
    all.append(session)
    byNode[session.node] = session
  }

  /// Forgets a session, its stream and its addresses.
  mutating func remove(_ session: Session) {
    guard byNode.removeValue(forKey: session.node) != nil else { return }
    all.removeAll { $0 === session }
    for path in session.paths { byAddress[path.address] = nil }
    former.removeAll { $0.node == session.node }
    for keys in session.keys { release(keys, of: session) }
  }

  /// A stream of a session is over, or the session is.
  mutating func release(_ keys: ReceivingKeys, of session: Session) {
    bySSRC[keys.ssrc] = nil
    bySSRC[~keys.ssrc] = nil
    session.remove(keys)
    if former.count == Self.mostFormer { former.removeFirst() }
    former.append(Former(node: session.node, keys: keys))
  }

  /// Adds a path to an address that is nobody's.
  mutating func add(_ path: Path, to session: Session) {
    precondition(byAddress[path.address] == nil, "an address is one member's")
    byAddress[path.address] = session
    session.add(path)
  }

  /// Takes a path of a session away that does not carry it.
  mutating func remove(_ path: Path, of session: Session) {
    byAddress[path.address] = nil
    session.remove(path)
  }

  /// Whether a stream may have an SSRC: it and that of its RTX stream are nobody else's.
  func isFree(_ ssrc: UInt32) -> Bool { bySSRC[ssrc] == nil && bySSRC[~ssrc] == nil }

  /// Registers a member's stream and its RTX stream, whose SSRCs are free,
  /// with what was received under its former keys.
  mutating func bind(_ identity: ReceivedKey.Identity, to session: Session) -> ReceivingKeys {
    let known = former.firstIndex {
      $0.node == session.node && $0.keys.ssrc == identity.ssrc
        && $0.keys.number == identity.stream
    }
    let keys = known.map { former.remove(at: $0).keys } ?? ReceivingKeys(identity)
    session.add(keys)
    bySSRC[keys.ssrc] = session
    bySSRC[~keys.ssrc] = session
    return keys
  }

  /// The session that a datagram claims to be of.
  func claimant(ofMedia datagram: RawSpan) -> Session? {
    SRTPReceiver.claimedSSRC(ofMedia: datagram).flatMap { bySSRC[$0] }
  }

  /// The same of a report, which is of a member's stream itself.
  func claimant(ofReport datagram: RawSpan) -> Session? {
    guard let ssrc = SRTPReceiver.claimedSSRC(ofControl: datagram),
      let session = bySSRC[ssrc], session.keys(number: 0)?.ssrc == ssrc
    else { return nil }
    return session
  }

  /// Those that have an address, or had one that was heard: what the user is shown.
  var shown: [Session] { all.filter { !$0.paths.isEmpty } }

  /// The session of the member that a user means (see ``NodeSearch``).
  func find(_ text: String) throws(IntercomError) -> Session {
    let shown = shown
    let search = NodeSearch(
      candidates: shown.map { session in
        NodeSearch.Candidate(
          node: session.node, name: session.name, isPresent: session.isConnected)
      })
    return shown[try search.index(of: text)]
  }
}
