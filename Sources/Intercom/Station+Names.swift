import Audio
import Cryptography
import Media

/// What peers are called, and what the user set for them. Rare, and may allocate.
extension Station {
  private static let renameNanoseconds: Int64 = 1_000_000_000
  /// Settings kept for absent peers, at most.
  private static let mostSettings = 256

  /// Names the peer and its port after what it calls itself.
  func name(_ peer: Peer) {
    peer.toldName = peer.calledName
    let wish = PeerName.sanitized(peer.toldName)
    changeNames { names in
      peer.name = names.name(of: peer.member, wish: wish, among: protection.members)
    }
    requestPort(peer)
  }

  /// Lets others have the name of a node that is no member: who has it with a number, has it without from now on.
  func freeName(of node: NodeID) {
    guard protection.members[node] == nil else { return }
    var heir: NodeID?
    changeNames { heir = $0.free(node, among: protection.members) }
    guard let member = heir.flatMap({ protection.members[$0] }) else { return }
    for peer in entries(of: member) where !peer.name.isEmpty { name(peer) }
  }

  /// Calls this node otherwise from now on, in its reports and its status.
  func rename(_ name: String) {
    ownName = name
    for peer in peers.all { peer.reports.rename(name) }
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
    remember(peer)
    for other in peers.all where other !== peer && other.member === peer.member {
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
    settingsByNode[peer.member.node] ?? PeerSettings()
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
    let node = peer.member.node
    let settings = peer.settings == PeerSettings() ? nil : peer.settings
    guard settings != settingsByNode[node] else { return }
    if settingsByNode.count >= Self.mostSettings, settingsByNode[node] == nil {
      _ = settingsByNode.popFirst()
    }
    settingsByNode[node] = settings
    mixChanged(mix)
  }
}
