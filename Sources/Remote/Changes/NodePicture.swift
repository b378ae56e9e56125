public import StatusSchema

/// A ``Status`` as the document that subscribers hold, without what ``NodeLevels`` tells.
///
/// It is the status but for `peers`, which is an object here, so that a merge patch names only what changed: one member
/// a peer, by its ID (by its name where it has none), with its `place` in the array.
public struct StatusDocument: Sendable {
  /// What the status tells.
  public let status: Status
  /// Which document of its maker's it is.
  let number: UInt64
  /// The members of `peers`, in the order of the status.
  let peerKeys: [String]
  private(set) var tree: JSONTree

  /// The document of a status.
  ///
  /// - Parameter number: another one than that of each document that subscribers were shown before.
  public init(_ status: Status, number: UInt64) {
    self.status = status
    self.number = number
    peerKeys = status.peers.map { $0.id ?? $0.name }
    guard case .object(var members) = Self.tree(of: status) else {
      tree = .object([:])
      return
    }
    if case .array(let peers) = members["peers"] {
      let places = zip(peerKeys, peers).enumerated().map { place, peer in
        (peer.0, Self.without(["levelDBFS", "isTalking"], peer.1, place: place))
      }
      members["peers"] = .object(Dictionary(places) { first, _ in first })
    }
    members["node"] = members["node"].map {
      Self.without(["micLevelDBFS", "micPeakDBFS", "mixLevelDBFS"], $0)
    }
    tree = .object(members)
  }

  /// Adds what is known only where it is told.
  mutating func add(_ control: ControlStatus) {
    guard case .object(var members) = tree else { return }
    members["control"] = Self.tree(of: control)
    tree = .object(members)
  }

  private static func tree(of value: some Encodable) -> JSONTree {
    (try? TreeEncoder.tree(of: value)) ?? .object([:])
  }

  private static func without(
    _ keys: [String], _ object: JSONTree, place: Int? = nil
  ) -> JSONTree {
    guard case .object(var members) = object else { return object }
    for key in keys { members[key] = nil }
    if let place { members["place"] = .integer(Int64(place)) }
    return .object(members)
  }
}

/// A node at one moment, for subscribers: what they hold becomes this by a merge patch.
public struct NodePicture: Sendable {
  /// Which picture of its maker's it is.
  package let number: UInt64
  private(set) var document: StatusDocument
  /// Levels of this moment, for those who want them as they change.
  private let levels: JSONTree
  /// Levels as they were when something else changed, for those who do not.
  private let calmLevels: JSONTree
  private let talking: [Bool]

  /// A node as it is now.
  ///
  /// - Parameters:
  ///   - levels: with as many peers as the document; of others those of the status are told.
  ///   - former: the picture before this one.
  public init(_ document: StatusDocument, _ levels: NodeLevels, after former: NodePicture?) {
    let own = levels.peers.count == document.peerKeys.count ? levels : NodeLevels(document.status)
    number = (former?.number ?? 0) &+ 1
    self.document = document
    self.levels = Self.tree(own, document.peerKeys)
    talking = own.peers.map(\.isTalking)
    if let former, former.document.number == document.number, former.talking == talking {
      calmLevels = former.calmLevels
    } else {
      calmLevels = self.levels
    }
  }

  /// A node as its status tells.
  public init(_ status: Status) {
    self.init(StatusDocument(status, number: 0), NodeLevels(status), after: nil)
  }

  /// Whether somebody who has the former would be told anything, with levels or without.
  public func differs(from former: NodePicture) -> Bool {
    document.number != former.document.number || levels != former.levels
  }

  /// With the figures of the control socket that tells it.
  package func adding(_ control: ControlStatus) -> NodePicture {
    var picture = self
    picture.document.add(control)
    return picture
  }

  /// Which document it shows.
  package var documentNumber: UInt64 { document.number }

  /// What makes of a former picture this one; of none, the whole document.
  ///
  /// - Returns: nil where nothing changed that is to be told.
  package func patch(from former: NodePicture?, withLevels isLive: Bool) -> JSONTree? {
    let levels = isLive ? levels : calmLevels
    guard let former else {
      var whole = document.tree
      whole.merge(levels)
      return whole
    }
    var patch: JSONTree?
    if former.document.number != document.number {
      patch = document.tree.patch(from: former.document.tree)
    }
    guard let change = levels.patch(from: isLive ? former.levels : former.calmLevels) else {
      return patch
    }
    return patch.map { $0.followed(by: change) } ?? change
  }

  private static func tree(_ levels: NodeLevels, _ keys: [String]) -> JSONTree {
    let peers = zip(keys, levels.peers).map { key, peer in
      (
        key,
        JSONTree.object([
          "levelDBFS": .number(peer.levelDBFS), "isTalking": .bool(peer.isTalking),
        ])
      )
    }
    return .object([
      "node": .object([
        "micLevelDBFS": .number(levels.micDBFS), "micPeakDBFS": .number(levels.micPeakDBFS),
        "mixLevelDBFS": .number(levels.mixDBFS),
      ]),
      "peers": .object(Dictionary(peers) { first, _ in first }),
    ])
  }
}
