internal import Cryptography

/// Which groups members share with this node, of those too who are away: what they said goes to these.
struct SessionReach {
  private static let most = 512

  /// The only group that this node is in: whoever is not known was in it.
  var only: String?
  private var groups: [NodeID: Set<String>] = [:]

  mutating func note(_ groups: Set<String>, of node: NodeID) {
    if self.groups.count >= Self.most, self.groups[node] == nil { self.groups = [:] }
    self.groups[node] = groups
  }

  func groups(of node: NodeID) -> Set<String> { groups[node] ?? only.map { [$0] } ?? [] }
}

/// What nodes said before they were members here: membership may tell a little later than they speak.
struct EarlyFrames {
  private static let frames = 8
  private var kept: [NodeID: [[UInt8]]] = [:]

  mutating func keep(_ octets: [UInt8], of node: NodeID) {
    if kept.count >= CaptionLimits.early, kept[node] == nil { kept = [:] }
    guard kept[node, default: []].count < Self.frames else { return }
    kept[node, default: []].append(octets)
  }

  mutating func take(_ node: NodeID) -> [[UInt8]] { kept.removeValue(forKey: node) ?? [] }

  mutating func forget(_ node: NodeID) { kept[node] = nil }
}
