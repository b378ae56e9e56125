public import StatusSchema

/// A ``Status`` as the document that subscribers hold, without what ``NodeLevels`` tells.
///
/// It is the status but for `peers`, which is an object here, so that a merge patch names only what changed: one member
/// a peer, by its ID (by its name where it has none), with its `place` in the array.
public struct StatusDocument: Sendable {
  /// What all copies share: a status by itself is dear to copy.
  private final class Content: Sendable {
    let status: Status
    let peerKeys: [String]
    let writtenPeers: [(name: [UInt8], place: Int)]
    let tree: JSONTree

    init(_ status: Status) {
      self.status = status
      peerKeys = status.peers.map { $0.id ?? $0.name }
      let places = Dictionary(zip(peerKeys, peerKeys.indices)) { first, _ in first }
      writtenPeers = places.sorted { $0.key < $1.key }
        .map { (JSONTree.text($0.key).line, $0.value) }
      tree = StatusDocument.tree(of: status, peerKeys)
    }
  }

  private let content: Content
  /// Which document of its maker's it is.
  let number: UInt64
  /// What is known only where it is told.
  fileprivate(set) var control: ControlStatus?

  /// The document of a status.
  ///
  /// - Parameter number: another one than that of each document that subscribers were shown before.
  public init(_ status: Status, number: UInt64) {
    content = Content(status)
    self.number = number
  }

  /// What the status tells.
  public var status: Status { content.status }

  /// The members of `peers`, in the order of the status.
  var peerKeys: [String] { content.peerKeys }

  /// The same as they are written, in the order of their octets, with their places.
  fileprivate var writtenPeers: [(name: [UInt8], place: Int)] { content.writtenPeers }

  var tree: JSONTree {
    guard let control, case .object(var members) = content.tree else { return content.tree }
    members["control"] = Self.tree(of: control)
    return .object(members)
  }

  private static func tree(of status: Status, _ peerKeys: [String]) -> JSONTree {
    guard case .object(var members) = tree(of: status) else { return .object([:]) }
    if case .array(let peers) = members["peers"] {
      let places = zip(peerKeys, peers).enumerated().map { place, peer in
        (peer.0, without(["levelDBFS", "isTalking"], peer.1, place: place))
      }
      members["peers"] = .object(Dictionary(places) { first, _ in first })
    }
    members["node"] = members["node"].map {
      without(["micLevelDBFS", "micPeakDBFS", "mixLevelDBFS"], $0)
    }
    return .object(members)
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
  /// Rises from picture to picture at one door.
  package private(set) var number: UInt64
  private(set) var document: StatusDocument
  /// Levels of this moment, for those who want them as they change; one a peer of the document.
  private let levels: NodeLevels
  /// Levels as they were when something else changed, for those who do not.
  private let calmLevels: NodeLevels
  /// Looks at the levels of now; nil: nobody looks any more.
  private let look: (@Sendable () -> NodeLevels?)?

  /// A node as it is now.
  ///
  /// - Parameters:
  ///   - levels: with as many peers as the document; of others those of the status are told.
  ///   - former: the picture before this one.
  ///   - look: looks at the levels of now, for ``next()``; any thread.
  public init(
    _ document: StatusDocument, _ levels: NodeLevels, after former: NodePicture?,
    look: (@Sendable () -> NodeLevels?)? = nil
  ) {
    let own = levels.peers.count == document.peerKeys.count ? levels : NodeLevels(document.status)
    number = (former?.number ?? 0) &+ 1
    self.document = document
    self.look = look
    self.levels = own
    if let former, former.document.number == document.number, former.levels.talksAs(own) {
      calmLevels = former.calmLevels
    } else {
      calmLevels = own
    }
  }

  /// A node as its status tells.
  public init(_ status: Status) {
    self.init(StatusDocument(status, number: 0), NodeLevels(status), after: nil)
  }

  /// The node a moment later, as far as levels tell; nil: nothing changed.
  package func next() -> NodePicture? {
    guard let look, let levels = look() else { return nil }
    let next = NodePicture(document, levels, after: self, look: look)
    return next.differs(from: self) ? next : nil
  }

  /// The same after pictures that this one's maker may not know.
  package func numbered(after former: NodePicture?) -> NodePicture {
    var picture = self
    picture.number = (former?.number ?? 0) &+ 1
    return picture
  }

  /// Whether somebody who has the former would be told anything, with levels or without.
  public func differs(from former: NodePicture) -> Bool {
    document.number != former.document.number || levels != former.levels
  }

  /// With the figures of the control socket that tells it: the same for as long as the document is.
  package func adding(_ control: ControlStatus) -> NodePicture {
    var picture = self
    picture.document.control = control
    return picture
  }

  /// Which document it shows.
  package var documentNumber: UInt64 { document.number }

  /// The line that makes of a former picture this one; of none, the whole document.
  ///
  /// As ``patch(from:levels:)`` says; where nothing but levels changed, as 20 times a second, it is written without
  /// a tree.
  ///
  /// - Returns: JSON and a line end; nil where nothing changed that is to be told.
  package func line(from former: NodePicture?, levels form: LevelForm) -> [UInt8]? {
    guard let former, former.document.number == document.number else {
      return patch(from: former, levels: form).map { $0.line + [UInt8(ascii: "\n")] }
    }
    let (new, old) = (levels(form), former.levels(form))
    return new == old ? nil : document.line(of: new, from: old, form)
  }

  /// What makes of a former picture this one; of none, the whole document.
  ///
  /// - Returns: nil where nothing changed that is to be told.
  package func patch(from former: NodePicture?, levels form: LevelForm) -> JSONTree? {
    let levels = document.tree(of: levels(form), form)
    guard let former else {
      var whole = document.tree
      whole.merge(levels)
      return whole
    }
    var patch: JSONTree?
    if former.document.number != document.number {
      patch = document.tree.patch(from: former.document.tree)
    }
    let before = former.document.tree(of: former.levels(form), form)
    guard let change = levels.patch(from: before) else { return patch }
    return patch.map { $0.followed(by: change) } ?? change
  }

  private func levels(_ form: LevelForm) -> NodeLevels { form.isLive ? levels : calmLevels }
}

extension NodeLevels {
  /// Whether the same peers talk.
  fileprivate func talksAs(_ other: NodeLevels) -> Bool {
    peers.count == other.peers.count
      && !zip(peers, other.peers).contains { $0.isTalking != $1.isTalking }
  }
}

/// Levels as a document of these peers has them.
extension StatusDocument {
  /// All of them.
  fileprivate func tree(of levels: NodeLevels, _ form: LevelForm) -> JSONTree {
    let peers = zip(peerKeys, levels.peers).map { key, peer in
      var members: [String: JSONTree] = ["isTalking": .bool(peer.isTalking)]
      if form != .listed { members["levelDBFS"] = .number(peer.levelDBFS) }
      return (key, JSONTree.object(members))
    }
    var members: [String: JSONTree] = [
      "node": .object([
        "micLevelDBFS": .number(levels.micDBFS), "micPeakDBFS": .number(levels.micPeakDBFS),
        "mixLevelDBFS": .number(levels.mixDBFS),
      ]),
      "peers": .object(Dictionary(peers) { first, _ in first }),
    ]
    if form == .listed {
      members["levels"] = .array(levels.peers.map { .number($0.levelDBFS) })
    }
    return .object(members)
  }

  /// What makes of former levels others, as a line.
  fileprivate func line(
    of levels: NodeLevels, from former: NodeLevels, _ form: LevelForm
  ) -> [UInt8] {
    let isListed = form == .listed
    var writer = LevelsWriter(octets: 128 + (isListed ? 8 : 128) * peerKeys.count)
    if isListed {
      writer.add(
        LevelName.levels, levels.peers.map(\.levelDBFS), instead: former.peers.map(\.levelDBFS))
    }
    writer.addObject(LevelName.node) { node in
      node.add(LevelName.mic, levels.micDBFS, instead: former.micDBFS)
      node.add(LevelName.micPeak, levels.micPeakDBFS, instead: former.micPeakDBFS)
      node.add(LevelName.mix, levels.mixDBFS, instead: former.mixDBFS)
    }
    writer.addObject(LevelName.peers) { peers in
      for (name, place) in writtenPeers {
        let (new, old) = (levels.peers[place], former.peers[place])
        guard new != old else { continue }
        peers.addObject(name) { peer in
          peer.add(LevelName.talking, new.isTalking, instead: old.isTalking)
          if !isListed { peer.add(LevelName.level, new.levelDBFS, instead: old.levelDBFS) }
        }
      }
    }
    return writer.finish()
  }
}

/// The names of what levels tell, as they are written.
private enum LevelName {
  static let node = JSONTree.text("node").line
  static let peers = JSONTree.text("peers").line
  static let levels = JSONTree.text("levels").line
  static let mic = JSONTree.text("micLevelDBFS").line
  static let micPeak = JSONTree.text("micPeakDBFS").line
  static let mix = JSONTree.text("mixLevelDBFS").line
  static let talking = JSONTree.text("isTalking").line
  static let level = JSONTree.text("levelDBFS").line
}
