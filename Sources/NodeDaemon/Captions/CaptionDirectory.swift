internal import Captions
internal import Cryptography
internal import Intercom
internal import Lines
internal import Mesh

/// Who is who to a captioner, who talks on which line, and where each member hears.
///
/// A text goes where the voice went: to those who are on a line that it was spoken on, and share a group with whoever
/// spoke. Members in no group of this node's are each by themselves, unless the policy lets everybody in.
struct CaptionDirectory {
  private static let nobodysGroup = ""

  let own: NodeID
  let isOpen: Bool
  var names: [NodeID: String] = [:]
  var ownProfile = NodeProfile(name: "")
  var profiles: [NodeID: NodeProfile] = [:]
  /// Members that share each group with this node, by its name.
  var groups: [String: Set<NodeID>] = [:]
  var lines: [LineView] = []
  /// Whether this node talks to some alone.
  var talksAlone = false

  init(own: NodeID, isOpen: Bool) { (self.own, self.isOpen) = (own, isOpen) }

  /// What a node is called here.
  func name(of node: NodeID) -> String {
    if node == own, !ownProfile.name.isEmpty { return ownProfile.name }
    return profiles[node]?.name ?? names[node] ?? node.words.joined(separator: " ")
  }

  /// Who is on a tape of that ID; nil: nobody that is captioned.
  func talker(_ id: String) -> CaptionTalker? {
    let node = id.isEmpty ? own : NodeID(text: id)
    guard let node, let profile = id.isEmpty ? ownProfile : profiles[node] else { return nil }
    return CaptionTalker(
      node: node, name: name(of: node), role: profile.role, colourRGB: profile.colourRGB)
  }

  /// The groups that a member shares with this node, or what stands for none.
  func groups(of node: NodeID) -> Set<String> {
    guard node != own else {
      return Set(groups.keys).union([Self.nobodysGroup]).union(profiles.keys.map(\.text))
    }
    let shared = Set(groups.filter { $0.value.contains(node) }.keys)
    guard shared.isEmpty else { return shared }
    return [isOpen ? Self.nobodysGroup : node.text]
  }

  /// The only group that this node is in; nil: it is in several.
  var onlyGroup: String? {
    groups.count == 1 ? groups.keys.first : groups.isEmpty && isOpen ? Self.nobodysGroup : nil
  }

  private func places(_ groups: Set<String>, _ lines: [LineView]) -> Set<CaptionPlace> {
    Set(
      groups.flatMap { group in
        lines.map {
          CaptionPlace(group: group, line: $0.name.text, privateLine: $0.privateID?.octets)
        }
      })
  }

  /// Where a member hears.
  func places(of node: NodeID) -> Set<CaptionPlace> {
    places(groups(of: node), lines.filter { $0.members.contains(node) })
  }

  /// Whether what somebody says now is captioned, and where it is heard.
  ///
  /// - Parameter scope: what is captioned.
  func permit(_ talker: CaptionTalker, on scope: CaptionScope) -> CaptionPermit {
    let isOwn = talker.node == own
    let talked = lines.filter { isOwn ? $0.isTalking : $0.talkers.contains(talker.node) }
    guard !talked.isEmpty else { return isOwn && talksAlone ? .refused : .unknown }
    let captioned = talked.filter { view in
      view.isJoined
        && (scope.line == nil || view.name == scope.line && view.privateID == scope.privateLine)
    }
    guard !captioned.isEmpty else { return .refused }
    return .given(talker, places(groups(of: talker.node), captioned))
  }
}
