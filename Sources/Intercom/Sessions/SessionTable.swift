import Cryptography
import EventLoop
import RTP

/// The sessions of a node, found by who the member is, by the SSRC that a datagram shows in clear, and by address.
///
/// Loop thread only; what is called per datagram allocates nothing.
struct SessionTable {
  private static let mostFormer = 64

  /// A member that left: a recording must not be accepted when one returns in the same session.
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
    bySSRC.reserveCapacity(2 * capacity)
    byAddress.reserveCapacity(capacity * MediaMember.mostAddresses)
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
    guard let ssrc = session.keys.ssrc else { return }
    bySSRC[ssrc] = nil
    bySSRC[~ssrc] = nil
    former.removeAll { $0.node == session.node }
    if former.count == Self.mostFormer { former.removeFirst() }
    former.append(Former(node: session.node, keys: session.keys))
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

  /// Registers a member's stream and its RTX stream; false: one of them belongs to another.
  mutating func bind(_ ssrc: UInt32, to session: Session) -> Bool {
    guard bySSRC[ssrc] == nil, bySSRC[~ssrc] == nil else { return false }
    let known = former.firstIndex { $0.node == session.node && $0.keys.ssrc == ssrc }
    session.bind(ssrc, resuming: known.map { former.remove(at: $0).keys })
    bySSRC[ssrc] = session
    bySSRC[~ssrc] = session
    return true
  }

  /// The session that a datagram claims to be of.
  func claimant(ofMedia datagram: RawSpan) -> Session? {
    SRTPReceiver.claimedSSRC(ofMedia: datagram).flatMap { bySSRC[$0] }
  }

  /// The same of a report, which is of a member's stream itself.
  func claimant(ofReport datagram: RawSpan) -> Session? {
    guard let ssrc = SRTPReceiver.claimedSSRC(ofControl: datagram),
      let session = bySSRC[ssrc], session.keys.ssrc == ssrc
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
