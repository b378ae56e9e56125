public import Cryptography
public import Mesh

/// One node of a ``MeshNetwork``: the machine, what outlives its runs, and what it was told to do.
public final class MeshNode {
  /// Its identity.
  public let id: NodeID
  /// Where it listens.
  public let address: NodeAddress
  /// Nodes of one number hold the same secret.
  public var group = 0
  /// What becomes of strangers; counts from the next start.
  public var policy = AdmissionPolicy.ask
  /// Nodes it is told of by address on each start.
  public var namedPeers: [Int] = []
  /// The machine; nil while the node does not run.
  public internal(set) var mesh: Mesh?
  /// Starts so far.
  public internal(set) var instance: UInt64 = 0
  /// What was stored last; taken on each start.
  public var memory = MeshMemory()
  /// Who is a member as far as it said.
  public internal(set) var members: Set<NodeID> = []
  /// What it sent on control connections; counted where ``MeshNetworkModel/isCounted``.
  public internal(set) var sent = MeshTraffic()
  /// What it received on them, likewise.
  public internal(set) var received = MeshTraffic()

  /// Moments at which something came or was due; counted likewise.
  public internal(set) var wakeUps = 0

  var isSilent = false
  var scheduledNanoseconds: Int64 = .max

  init(id: NodeID, address: NodeAddress) {
    self.id = id
    self.address = address
  }
}
