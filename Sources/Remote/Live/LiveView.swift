public import StatusSchema

/// A ``Status`` as a picture for a terminal of any size, with meters whose peaks are held from one to the next.
///
/// Pure: what it draws depends on what it is given and drew before only.
public struct LiveView {
  /// From this height on a blank row sets the peers apart.
  private static let roomyRows = 12

  private let bar: MeterBar
  private var peaks: [String: PeakHold] = [:]

  /// A view that has drawn nothing yet.
  ///
  /// - Parameter isUnicode: whether the terminal shows more than ASCII.
  public init(isUnicode: Bool) {
    bar = MeterBar(glyphs: isUnicode ? .unicode : .ascii)
  }

  /// The picture of a status.
  ///
  /// - Parameters:
  ///   - columns: the terminal's width.
  ///   - rows: its height; the picture has as many rows at most.
  ///   - time: since any beginning, growing from call to call.
  public mutating func frame(
    of status: Status, columns: Int, rows: Int, at time: Duration
  ) -> LiveFrame {
    var before = peaks
    peaks = [:]
    var marks: [String: Double] = [:]
    let levels =
      [("mic", status.node.micLevelDBFS), ("mix", status.node.mixLevelDBFS)]
      + status.peers.map { (Self.key($0), $0.levelDBFS) }
    for (key, level) in levels {
      var hold = before.removeValue(forKey: key) ?? PeakHold(levelDBFS: level, at: time)
      marks[key] = hold.take(levelDBFS: level, at: time)
      peaks[key] = hold
    }
    var frame = LiveFrame()
    frame.rows = head(status, columns: columns, marks: marks)
    if rows >= Self.roomyRows { frame.rows.append([]) }
    let peers = LivePeers(peers: status.peers, bar: bar, columns: columns)
    frame.rows += peers.rows(rows - frame.rows.count) { marks[Self.key($0)] ?? $0.levelDBFS }
    frame.rows = Array(frame.rows.prefix(max(0, rows)))
    return frame
  }

  /// The picture while nobody answers.
  ///
  /// - Parameter problem: why, in words.
  public mutating func frame(problem: String, columns: Int, rows: Int) -> LiveFrame {
    peaks = [:]
    var (lines, line) = ([String](), "")
    for word in "\(problem); trying again".split(separator: " ") {
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      if TextWidth.columns(of: longer) > columns, !line.isEmpty {
        lines.append(line)
        line = String(word)
      } else {
        line = longer
      }
    }
    return LiveFrame(
      rows: (lines + [line]).prefix(max(0, rows)).map { text in
        var row = LiveRow(columns: columns)
        row.flow(text, .red)
        return row.pieces
      })
  }

  /// What a peer's peak is remembered by.
  private static func key(_ peer: PeerStatus) -> String { "peer \(peer.id ?? peer.name)" }

  private func head(
    _ status: Status, columns: Int, marks: [String: Double]
  ) -> [[LiveFrame.Piece]] {
    let (node, audio) = (status.node, status.audio)
    var first = LiveRow(columns: columns)
    first.flow(node.name, .bold)
    first.flow(node.talk ? "talk ON" : "talk off", node.talk ? .green : .dim)
    first.flow("\(status.peers.filter { $0.state == .connected }.count) connected")
    first.flow("up \(StatusTable.duration(node.uptimeSeconds))")
    first.flow(node.listen)
    var second = LiveRow(columns: columns)
    second.flow("jack \(audio.state.rawValue)", audio.state == .running ? .plain : .red)
    second.flow("\(audio.xruns) xruns", audio.xruns > 0 ? .yellow : .plain)
    if audio.state == .running {
      second.flow("\(audio.periodFrames) frames")
      second.flow("\(audio.sampleRate) Hz")
      second.flow("callback \(Fixed.text(audio.callbackLoadPercent, digits: 1)) %")
    }
    if let problem = audio.problem {
      second.flow(problem, audio.state == .running ? .yellow : .red)
    }
    if let implementation = audio.implementation { second.flow(implementation) }
    return [first.pieces, second.pieces] + LiveNotices(columns: columns).rows(status)
      + meters(node, columns: columns, marks: marks)
  }

  /// Microphone and mix, beside each other where both have room.
  private func meters(
    _ node: NodeStatus, columns: Int, marks: [String: Double]
  ) -> [[LiveFrame.Piece]] {
    let all = [("mic", node.micLevelDBFS), ("mix", node.mixLevelDBFS)]
    let isBeside = columns >= 60
    let width = isBeside ? columns / 2 - 1 : columns
    let meters = all.enumerated().map { index, meter in
      self.meter(
        meter.0, meter.1, peak: marks[meter.0] ?? meter.1,
        at: isBeside ? index * (columns - width) : 0, width: width, columns: columns)
    }
    return isBeside ? [meters.flatMap { $0 }] : meters
  }

  private func meter(
    _ name: String, _ levelDBFS: Double, peak: Double, at column: Int, width: Int, columns: Int
  ) -> [LiveFrame.Piece] {
    var row = LiveRow(columns: columns)
    row.put(name, at: column, width: 3)
    row.add(
      bar.pieces(levelDBFS: levelDBFS, peakDBFS: peak, at: column + 4, width: max(0, width - 11)))
    let words = levelDBFS <= Level.silenceDBFS ? "silent" : Fixed.text(levelDBFS, digits: 1)
    row.put(words, at: column + width - 6, width: 6, isLeft: false)
    return row.pieces
  }
}
