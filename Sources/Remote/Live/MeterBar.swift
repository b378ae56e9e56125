/// A level as a bar of so many columns, from -60 to 0 dBFS, with a mark where its peak was.
struct MeterBar {
  private static let floorDBFS = -60.0
  /// Where speech gets loud, and where it may clip soon.
  private static let loudDBFS = -18.0
  private static let hotDBFS = -6.0

  /// The characters of a bar.
  struct Glyphs: Sendable {
    let full: Character
    /// For half a column; nil: there is none.
    let half: Character?
    let peak: Character
    let track: Character

    /// For terminals that show Unicode, and for others.
    static let unicode = Glyphs(full: "█", half: "▌", peak: "│", track: "·")
    static let ascii = Glyphs(full: "#", half: nil, peak: "|", track: ".")
  }

  let glyphs: Glyphs

  /// The bar's pieces; its colours are those of a mixing desk.
  func pieces(
    levelDBFS: Double, peakDBFS: Double, at column: Int, width: Int
  ) -> [LiveFrame.Piece] {
    let (halves, peakHalves) = (Self.halves(levelDBFS, width), Self.halves(peakDBFS, width))
    // Where the bar itself ends is seen without a mark.
    let peak = peakHalves > halves ? (peakHalves - 1) / 2 : -1
    var pieces: [LiveFrame.Piece] = []
    for cell in 0..<max(0, width) {
      let (character, style) = cellText(cell, halves: halves, peak: peak, width: width)
      if let last = pieces.last, last.style == style {
        pieces[pieces.count - 1].text.append(character)
      } else {
        pieces.append(
          LiveFrame.Piece(column: column + cell, text: String(character), style: style))
      }
    }
    return pieces
  }

  private func cellText(
    _ cell: Int, halves: Int, peak: Int, width: Int
  ) -> (Character, LiveFrame.Style) {
    let zone = Self.zone(cell, of: width)
    if halves >= 2 * cell + 2 { return (glyphs.full, zone) }
    if halves == 2 * cell + 1 { return (glyphs.half ?? glyphs.full, zone) }
    if cell == peak { return (glyphs.peak, zone) }
    return (glyphs.track, .dim)
  }

  private static func zone(_ cell: Int, of width: Int) -> LiveFrame.Style {
    let place = Double(cell) / Double(width)
    return place >= share(hotDBFS) ? .red : place >= share(loudDBFS) ? .yellow : .green
  }

  private static func halves(_ levelDBFS: Double, _ width: Int) -> Int {
    Int((share(levelDBFS) * Double(2 * width)).rounded())
  }

  private static func share(_ levelDBFS: Double) -> Double {
    guard levelDBFS.isFinite else { return 0 }
    return min(1, max(0, 1 - levelDBFS / floorDBFS))
  }
}

/// The highest level of the last moments, as a meter's peak mark shows it.
struct PeakHold {
  /// How long the mark stays, and how fast it falls then, as programme meters do it.
  private static let holdTime = Duration.milliseconds(1500)
  private static let fallDecibelsPerSecond = 20.0

  private var peakDBFS: Double
  private var since: Duration

  /// A mark at the first level.
  init(levelDBFS: Double, at time: Duration) { (peakDBFS, since) = (levelDBFS, time) }

  /// Takes a level; answers where the mark is.
  mutating func take(levelDBFS: Double, at time: Duration) -> Double {
    let fallen = max(0, (time - since - Self.holdTime) / .seconds(1)) * Self.fallDecibelsPerSecond
    let mark = peakDBFS - fallen
    guard levelDBFS >= mark else { return mark }
    (peakDBFS, since) = (levelDBFS, time)
    return levelDBFS
  }
}
