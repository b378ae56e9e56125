import Mesh

/// A connection between two nodes of a ``MeshNetwork``.
final class MeshWire {
  /// What is said on it.
  enum Item {
    case message(Message)
    /// The groups of the other end are others.
    case proof(group: Int)
    case closed
  }

  /// One end: the run of a node.
  struct End {
    let node: Int
    let instance: UInt64
    /// The group that the other end has proved to be in.
    var provedGroup: Int
    var isOpen = true
    /// When what was sent to it last arrives: nothing overtakes.
    var arrivalNanoseconds: Int64 = .min
    /// What waits for the path to be whole again.
    var pending: [Item] = []
    var decoder = MessageDecoder(limits: .member)
    var acknowledging = MeshAcknowledging()
  }

  let number: UInt64
  /// Who dialled, who accepted.
  var ends: [End]
  /// Whether an end lost its address: nothing arrives any more.
  var isUprooted = false

  init(number: UInt64, dialler: End, acceptor: End) {
    self.number = number
    ends = [dialler, acceptor]
  }

  func connection(ofEnd end: Int) -> ConnectionID {
    ConnectionID(rawValue: number &* 2 &+ UInt64(end))
  }
}
