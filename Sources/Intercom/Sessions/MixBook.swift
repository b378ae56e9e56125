import Cryptography
import Habits

/// What the user set, for members present and away, as it outlives a run of the daemon.
///
/// Loop thread only; rare, and may allocate.
final class MixBook {
  private(set) var mix = Mix()
  /// Told of each change; must not block.
  var changed: @Sendable (Mix) -> Void = { _ in }

  /// Goes on with the mix of a former run.
  func restore(_ mix: Mix) { self.mix = mix }

  /// The talk key is on, or off.
  func setTalk(_ isOn: Bool) {
    guard mix.isTalking != isOn else { return }
    mix.isTalking = isOn
    changed(mix)
  }

  /// What was set for a member before.
  func settings(of node: NodeID) -> PeerSettings { mix.peers[node] ?? PeerSettings() }

  /// Keeps what was set for a member.
  func remember(_ settings: PeerSettings, of node: NodeID) {
    let kept = settings == PeerSettings() ? nil : settings
    guard kept != mix.peers[node] else { return }
    if mix.peers.count >= Mix.mostPeers, mix.peers[node] == nil { _ = mix.peers.popFirst() }
    mix.peers[node] = kept
    changed(mix)
  }
}
