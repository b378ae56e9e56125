internal import CRealtime

/// What gives way to what in the user's ear.
public struct SlotRank: Hashable, Sendable {
  /// The programme, which dims nothing.
  public static let program = SlotRank(number: UInt32(RT_RANK_PROGRAMME))
  /// Those of the priorities, the lowest first.
  public static let ofPriorities = (UInt32(RT_RANK_PROGRAMME) + 1..<UInt32(RT_RANKS)).map {
    SlotRank(number: $0)
  }

  /// The number CRealtime takes.
  let number: UInt32
}

/// The user's ear: what the main mix does to peers before they are heard. Dims fall in 20 ms and rise in 500 ms.
extension AudioEngine {
  /// Sets the rank of a slot; at first it is that of standard priority. [any]
  public func setRank(_ rank: SlotRank, for slot: PeerSlot) {
    unsafe rt_peer_set_rank(handle, slot.number, rank.number)
  }

  /// Sets what is left of slots of a rank while another is the highest that sounds: a factor of 0 … 1. [any]
  public func setDim(_ gain: Float, of rank: SlotRank, while sounding: SlotRank) {
    unsafe rt_ear_set_dim(handle, rank.number, sounding.number, gain)
  }

  /// Sets what is left of slots of a rank while the user talks: a factor of 0 … 1. [any]
  public func setTalkDim(_ gain: Float, of rank: SlotRank) {
    unsafe rt_ear_set_talk_dim(handle, rank.number, gain)
  }

  /// Tells whether the user talks. [any]
  public func setTalking(_ isTalking: Bool) {
    unsafe rt_ear_set_talking(handle, isTalking)
  }

  /// Sets how loud all peers are together, and whether the sidetone follows: linear, 0 … 4. [any]
  public func setVolume(_ gain: Float, isSidetoneTracking: Bool) {
    unsafe rt_ear_set_volume(handle, gain)
    unsafe rt_ear_set_tracking(handle, isSidetoneTracking)
  }

  /// Sets what the main mix never exceeds, as a factor of what its limiter lets through: 1/64 … 1. [any]
  public func setCeiling(_ ceiling: Float) {
    unsafe rt_ear_set_ceiling(handle, ceiling)
  }
}
