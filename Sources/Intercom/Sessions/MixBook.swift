import Cryptography
import Habits

/// What the user set, for members present and away, as it outlives a run of the daemon.
///
/// Loop thread only; rare, and may allocate.
final class MixBook {
  private(set) var mix = Mix()
  /// Told of each change; must not block.
  ///
  /// Whoever keeps the mix takes it when it gets to that.
  var changed: @Sendable () -> Void = {}

  /// Goes on with the mix of a former run.
  func restore(_ mix: Mix) { self.mix = mix }

  /// The talk key is on, or off.
  func setTalk(_ isOn: Bool) {
    guard mix.isTalking != isOn else { return }
    mix.isTalking = isOn
    changed()
  }

  /// What was set for a member before.
  func settings(of node: NodeID) -> PeerSettings { mix.peers[node] ?? PeerSettings() }

  /// Keeps what was set for a member.
  func remember(_ settings: PeerSettings, of node: NodeID) {
    let kept = settings == PeerSettings() ? nil : settings
    guard kept != mix.peers[node] else { return }
    if mix.peers.count >= Mix.mostPeers, mix.peers[node] == nil { _ = mix.peers.popFirst() }
    mix.peers[node] = kept
    changed()
  }

  /// Keeps what was set for an input.
  func remember(_ input: InputSettings) {
    let habit = InputHabit(
      configured: input.configured, isOn: input.isOn, lines: input.lines)
    guard mix.inputs[input.name] != habit else { return }
    Self.makeRoom(for: input.name, in: &mix.inputs)
    mix.inputs[input.name] = habit
    changed()
  }

  /// Keeps who is on a bus.
  func remember(_ bus: BusSettings) {
    let habit = BusHabit(configured: bus.configured, others: bus.others, members: bus.members)
    guard mix.buses[bus.name] != habit else { return }
    Self.makeRoom(for: bus.name, in: &mix.buses)
    mix.buses[bus.name] = habit
    changed()
  }

  private static func makeRoom<Habit>(for name: String, in habits: inout [String: Habit]) {
    if habits.count >= Mix.mostPatches, habits[name] == nil { _ = habits.popFirst() }
  }
}
