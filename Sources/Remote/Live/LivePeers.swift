internal import StatusSchema

/// The peers of a live view: a heading and a row each, by what the terminal has room for.
struct LivePeers {
  /// A figure at the right; those with room for it are shown.
  private struct Figure: Sendable {
    let title: String
    let short: String
    /// Which goes first where there is no room: the greatest.
    let expendability: Int
    let value: @Sendable (PeerStatus) -> String
  }

  private static let figures: [Figure] = [
    Figure(title: "jit.", short: "jit.", expendability: 3) { number($0.jitterMilliseconds) },
    Figure(title: "delay", short: "dly.", expendability: 1) {
      number($0.playoutDelayMilliseconds)
    },
    Figure(title: "loss%", short: "ls.%", expendability: 0) { number($0.lossPercent) },
    Figure(title: "heard", short: "hrd.", expendability: 2) { peer in
      peer.quality.map { Fixed.text($0, digits: 1) } ?? "-"
    },
  ]

  /// Talking, the first letter of an activity where there is no room for the word, and a blank.
  private let markColumns: Int
  private static let stateColumns = 10
  /// Below this a state has no column of its own, and stands where the meter would.
  private static let wideColumns = 60
  private static let leastNameColumns = 6
  private static let leastMeterColumns = 6

  let peers: [PeerStatus]
  let bar: MeterBar
  let columns: Int
  private let shown: [Figure]
  private let nameColumns: Int

  private var isWide: Bool { columns >= Self.wideColumns }
  /// With the blank before it.
  private var figureColumns: Int { isWide ? 6 : 5 }
  private var stateStart: Int { markColumns + nameColumns + 1 }
  private var meterStart: Int { stateStart + (isWide ? Self.stateColumns + 1 : 0) }
  private var meterColumns: Int { max(0, columns - meterStart - shown.count * figureColumns) }

  /// Lays the columns out.
  init(peers: [PeerStatus], bar: MeterBar, columns: Int) {
    (self.peers, self.bar, self.columns) = (peers, bar, columns)
    let isWide = columns >= Self.wideColumns
    markColumns = isWide || peers.allSatisfy { $0.activity == nil } ? 2 : 3
    let fixed = markColumns + 1 + (isWide ? Self.stateColumns + 1 : 0)
    var figures = Self.figures
    let least = fixed + Self.leastNameColumns + Self.leastMeterColumns
    while let last = figures.max(by: { $0.expendability < $1.expendability }),
      least + figures.count * (isWide ? 6 : 5) > columns
    {
      figures.removeAll { $0.expendability == last.expendability }
    }
    let free = columns - fixed - figures.count * (isWide ? 6 : 5)
    nameColumns = max(0, min(24, free / 2 - (isWide ? 2 : 0)))
    shown = figures
  }

  /// The heading and as many peers as there is room for, connected ones first where not all fit.
  ///
  /// - Parameters:
  ///   - count: how many rows there are.
  ///   - peak: where a peer's peak mark is, dBFS.
  func rows(_ count: Int, peak: (PeerStatus) -> Double) -> [[LiveFrame.Piece]] {
    guard count > 0 else { return [] }
    guard !peers.isEmpty else { return [[LiveFrame.Piece(column: 0, text: fitted("no peers"))]] }
    guard peers.count > count - 1 else {
      return [heading] + peers.map { row($0, peakDBFS: peak($0)) }
    }
    let connected = peers.filter { $0.state == .connected }
    let others = peers.filter { $0.state != .connected }
    let first = (connected + others).prefix(max(0, count - 2))
    let rest = LiveFrame.Piece(
      column: 0, text: fitted("  and \(peers.count - first.count) more"), style: .dim)
    return ([heading] + first.map { row($0, peakDBFS: peak($0)) } + [[rest]]).suffix(count)
  }

  private var heading: [LiveFrame.Piece] {
    var row = LiveRow(columns: columns)
    row.put("peer", at: markColumns, width: nameColumns, .dim)
    if isWide { row.put("state", at: stateStart, width: Self.stateColumns, .dim) }
    row.put("level", at: meterStart, width: meterColumns, .dim)
    for (column, figure) in placed {
      let title = isWide ? figure.title : figure.short
      row.put(title, at: column, width: figureColumns - 1, isLeft: false, .dim)
    }
    return row.pieces
  }

  private func row(_ peer: PeerStatus, peakDBFS: Double) -> [LiveFrame.Piece] {
    var row = LiveRow(columns: columns)
    let isConnected = peer.state == .connected
    if peer.isTalking { row.put("*", at: 0, width: 1, .green) }
    if let activity = peer.activity, !isWide {
      row.put(String(activity.rawValue.prefix(1)), at: 1, width: 1, Self.style(of: activity))
    }
    row.put(
      called(peer), at: markColumns, width: nameColumns,
      peer.isTalking ? .bold : isConnected ? .plain : .dim)
    addState(of: peer, to: &row)
    if isConnected, !isMuteAtMeter(peer) {
      row.add(
        bar.pieces(
          levelDBFS: peer.levelDBFS, peakDBFS: peakDBFS, at: meterStart, width: meterColumns))
    } else if isConnected || !isWide {
      let word = isConnected ? "muted" : peer.state.rawValue
      row.put(word, at: meterStart, width: meterColumns, .dim)
    }
    for (column, figure) in placed {
      let value = isConnected ? figure.value(peer) : "-"
      row.put(value, at: column, width: figureColumns - 1, isLeft: false)
    }
    return row.pieces
  }

  private func addState(of peer: PeerStatus, to row: inout LiveRow) {
    guard isWide else { return }
    if let activity = peer.activity {
      row.put(
        activity.rawValue, at: stateStart, width: Self.stateColumns, Self.style(of: activity))
    } else {
      let isConnected = peer.state == .connected
      let word = peer.isMuted && isConnected ? "muted" : peer.state.rawValue
      let isPlain = isConnected && !peer.isMuted
      row.put(word, at: stateStart, width: Self.stateColumns, isPlain ? .plain : .dim)
    }
  }

  /// Whether there is no other place to say that a peer is muted.
  private func isMuteAtMeter(_ peer: PeerStatus) -> Bool {
    peer.isMuted && (!isWide || peer.activity != nil)
  }

  private static func style(of activity: PeerStatus.Activity) -> LiveFrame.Style {
    switch activity {
    case .recording: .red
    case .loopBack, .effect: .yellow
    }
  }

  /// Its name, with its role where there is room for both.
  private func called(_ peer: PeerStatus) -> String {
    guard let role = peer.role else { return peer.name }
    let both = "\(peer.name) (\(role))"
    return TextWidth.columns(of: Cell.clean(both)) <= nameColumns ? both : peer.name
  }

  /// The figures that are shown, and where.
  private var placed: [(column: Int, figure: Figure)] {
    shown.enumerated().map { index, figure in
      (columns - (shown.count - index) * figureColumns + 1, figure)
    }
  }

  private func fitted(_ text: String) -> String { TextWidth.fitted(text, columns: columns) }

  private static func number(_ value: Double) -> String {
    Fixed.text(value, digits: value.magnitude < 99.95 ? 1 : 0)
  }
}
