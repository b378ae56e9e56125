import Audio
import Cryptography
import Media

/// What peers are called, and the settings that hang on their names. Rare, and may allocate.
extension Station {
  private static let renameNanoseconds: Int64 = 1_000_000_000
  /// Settings kept for absent peers, at most.
  private static let mostSettings = 256

  /// Names the peer and its port after what it calls itself.
  func name(_ peer: Peer) {
    peer.toldName = peer.calledName
    let wish = PeerName.sanitized(peer.toldName)
    if let protection, let member = peer.member {
      changeNames { names in
        peer.name = names.name(of: member, wish: wish, among: protection.members)
      }
    } else {
      let others = peers.all.filter { $0 !== peer && $0.state == .connected }
      peer.name = PeerName.unique(wish, among: Set(others.map(\.name)))
    }
    requestPort(peer)
  }

  /// Lets others have the name of a node that is no member.
  func freeName(of node: NodeID) {
    guard protection?.members[node] == nil else { return }
    changeNames { $0.free(node) }
  }

  private func changeNames(_ body: (inout MemberNames) -> Void) {
    let before = memberNames.memory
    body(&memberNames)
    if memberNames.memory != before { namesChanged(memberNames.memory) }
  }

  /// A peer may call itself otherwise, once a second; gain, pan and mute stay what they are.
  func followName(_ peer: Peer, nowNanoseconds: Int64) {
    guard peer.toldName != peer.calledName,
      nowNanoseconds - peer.renamedNanoseconds > Self.renameNanoseconds
    else { return }
    peer.renamedNanoseconds = nowNanoseconds
    name(peer)
  }

  /// Changes the settings of the peer that the user means by `name`.
  func change(
    _ name: String, _ body: (inout PeerSettings) -> Void
  ) throws(IntercomError) {
    let peer = try peers.find(name)
    body(&peer.settings)
    applySettings(peer)
    // Of those that are here by a name it is remembered when they go.
    if peer.member != nil || peer.state != .connected { remember(peer) }
    for other in peers.all
    where other !== peer && peer.member != nil && other.member === peer.member {
      other.settings = peer.settings
    }
  }

  /// Hands gain, mute and pan to the mixer, which ramps them.
  func applySettings(_ peer: Peer) {
    guard let slot = peer.slot else { return }
    engine.setGain(peer.settings.linearGain, for: slot)
    engine.setPan(Float(peer.settings.pan), for: slot)
    peer.sink?.track?.follow(peer.settings)
  }

  /// What was set for a peer before.
  func settings(of peer: Peer) -> PeerSettings {
    let known = peer.member.map { settingsByNode[$0.node] } ?? settingsByName[peer.name]
    return known ?? PeerSettings()
  }

  /// What is worth keeping beyond this run.
  var mix: Mix {
    var mix = Mix()
    mix.isTalking = isTalking
    mix.peers = settingsByNode
    return mix
  }

  /// Goes on with the mix of a former run, before there are members.
  func restore(_ mix: Mix) {
    settingsByNode = mix.peers
    setTalk(mix.isTalking)
  }

  func remember(_ peer: Peer) {
    if let node = peer.member?.node {
      let settings = peer.settings == PeerSettings() ? nil : peer.settings
      guard settings != settingsByNode[node] else { return }
      if settingsByNode.count >= Self.mostSettings, settingsByNode[node] == nil {
        _ = settingsByNode.popFirst()
      }
      settingsByNode[node] = settings
      return mixChanged(mix)
    }
    guard !peer.name.isEmpty else { return }
    guard peer.settings != PeerSettings() else {
      settingsByName[peer.name] = nil
      return
    }
    // A peer may come back under ever new names.
    if settingsByName.count >= Self.mostSettings, settingsByName[peer.name] == nil {
      _ = settingsByName.popFirst()
    }
    settingsByName[peer.name] = peer.settings
  }
}
