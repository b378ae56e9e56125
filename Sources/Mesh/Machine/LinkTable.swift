import Cryptography

/// A node's connections: those in use, those given up for others that are not there yet, and those to itself.
struct LinkTable {
  private var links = OrderedTable<ConnectionID, Link>()
  /// Given up, and not closed before there is another (`Peer.forsaken`).
  private var forsaken = OrderedTable<ConnectionID, Link>()
  /// To an address where this node's own identity answered, until its hello tells whether that is another start.
  private var selves: [ConnectionID: NodeAddress] = [:]

  /// In the order in which they opened.
  var all: [Link] { links.values }

  /// Given up for others that are not there yet.
  var givenUp: [Link] { forsaken.values }

  /// Those to this node's own identity.
  var toOurselves: [ConnectionID] { Array(selves.keys) }

  subscript(connection: ConnectionID) -> Link? { links[connection] }

  /// All that a node has to us.
  func of(_ node: NodeID) -> [Link] { links.values.filter { $0.node == node } }

  mutating func add(_ link: Link) { links[link.connection] = link }

  /// Takes one out that is closed, or to be replaced.
  mutating func remove(_ link: Link) {
    links[link.connection] = nil
    link.isOver = true
  }

  /// Takes one out that may yet be used again.
  mutating func giveUp(_ link: Link) {
    remove(link)
    forsaken[link.connection] = link
  }

  /// One that was given up.
  func givenUp(_ connection: ConnectionID) -> Link? { forsaken[connection] }

  /// Uses one again that was given up.
  mutating func reinstate(_ link: Link) {
    forsaken[link.connection] = nil
    links[link.connection] = link
    link.isOver = false
  }

  /// Forgets one that was given up; false where it is closed already.
  mutating func endGivingUp(_ connection: ConnectionID) -> Bool {
    guard forsaken[connection] != nil else { return false }
    forsaken[connection] = nil
    return true
  }

  /// Notes one to this node's own identity; false where there are too many.
  mutating func addOurselves(_ connection: ConnectionID, at address: NodeAddress) -> Bool {
    guard selves.count < MeshLimits.connectionsPerNode else { return false }
    selves[connection] = address
    return true
  }

  /// The address where this node's own identity answered, once.
  mutating func takeOurselves(_ connection: ConnectionID) -> NodeAddress? {
    selves.removeValue(forKey: connection)
  }
}
