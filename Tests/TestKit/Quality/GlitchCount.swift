public import StatusSchema

/// What nodes with a peer each counted of glitches, and of what their machines did that makes some.
public struct GlitchCount: Hashable, Sendable {
  /// Periods with nothing to play.
  public private(set) var holes: Int
  /// Times sound was shortened or lengthened.
  public private(set) var splices: Int
  /// Codec frames made up.
  public private(set) var concealed: Int
  /// Packets that came too late.
  public private(set) var late: Int
  /// Periods that a server lost.
  public private(set) var xruns: Int
  /// Periods that a server ran without its node.
  public private(set) var missedPeriods: Int
  /// Holes because JACK called too soon or the node was woken too late.
  public private(set) var excusedHoles: Int

  /// Adds up what the nodes say; nil: one of them has no peer, or more, whose counts would be missed.
  public init?(_ statuses: [Status]) {
    guard statuses.allSatisfy({ $0.peers.count == 1 }) else { return nil }
    let peers = statuses.flatMap(\.peers)
    holes = peers.reduce(0) { $0 + $1.underrun }
    splices = peers.reduce(0) { $0 + $1.spliced }
    concealed = peers.reduce(0) { $0 + $1.concealed }
    late = peers.reduce(0) { $0 + $1.late }
    xruns = statuses.reduce(0) { $0 + $1.audio.xruns }
    missedPeriods = statuses.reduce(0) { $0 + $1.audio.missedPeriods }
    excusedHoles = statuses.reduce(0) { sum, status in
      let causes = status.audio.underruns ?? [:]
      return sum + (causes["callbacks"] ?? 0) + (causes["wakeUps"] ?? 0)
    }
  }

  /// What can be heard.
  public var glitches: Int { holes + splices + concealed }
  /// What can be heard but the holes that the machines made.
  public var unexcused: Int { glitches - min(holes, excusedHoles) }

  /// What of it came since an earlier count.
  public func since(_ before: Self) -> Self {
    var grown = self
    grown.holes -= before.holes
    grown.splices -= before.splices
    grown.concealed -= before.concealed
    grown.late -= before.late
    grown.missedPeriods -= before.missedPeriods
    grown.xruns -= before.xruns
    grown.excusedHoles -= before.excusedHoles
    return grown
  }
}
