internal import StatusSchema

/// The peers of a ``Status`` as a table.
enum PeerTable {
  private struct Column: Sendable {
    let title: String
    let width: Int
    var isLeft = false
    let value: @Sendable (PeerStatus) -> String
  }

  /// With names of ten characters the widths and the blanks between the columns make 100.
  private static let figures: [Column] = [
    Column(title: "state", width: 10, isLeft: true) {
      $0.activity?.rawValue ?? Cell.clean($0.state.rawValue)
    },
    Column(title: "level", width: 5) {
      $0.isMuted ? "muted" : $0.levelDBFS <= Level.silenceDBFS ? "-" : number($0.levelDBFS)
    },
    Column(title: "gain", width: 5) { number($0.gainDecibels) },
    Column(title: "pan", width: 5) { Fixed.text($0.pan, digits: 2) },
    Column(title: "jit.", width: 5) { number($0.jitterMilliseconds) },
    Column(title: "rtt", width: 5) { $0.roundTripMilliseconds.map(number) ?? "-" },
    Column(title: "delay", width: 5) { number($0.playoutDelayMilliseconds) },
    Column(title: "ppm", width: 5) { drift($0) },
    Column(title: "recv", width: 6) { Cell.count($0.received, width: 6) },
    Column(title: "lost", width: 4) { Cell.count($0.lost, width: 4) },
    Column(title: "late", width: 4) { Cell.count($0.late, width: 4) },
    Column(title: "conc.", width: 5) { Cell.count($0.concealed, width: 5) },
    Column(title: "loss%", width: 5) { number($0.lossPercent) },
    Column(title: "kb/s", width: 5) { number($0.bitrateKilobits) },
  ]

  /// A heading and one line a peer; words where there is none.
  static func lines(_ peers: [PeerStatus]) -> [String] {
    if peers.isEmpty { return ["no peers"] }
    let names = NameColumn(peers)
    return [names.title + line { $0.title }]
      + peers.map { peer in names.text(peer) + line { $0.value(peer) } }
  }

  private static func line(_ text: (Column) -> String) -> String {
    " "
      + figures.map { Cell.padded(text($0), width: $0.width, isLeft: $0.isLeft) }
      .joined(separator: " ")
  }

  /// How much faster its clock runs; nothing while that is a guess.
  private static func drift(_ peer: PeerStatus) -> String {
    guard peer.isClockLocked == true, let drift = peer.driftPPM else { return "-" }
    return number(drift)
  }

  private static func number(_ value: Double) -> String {
    // Four digits and a sign leave no room for a decimal.
    Fixed.text(value, digits: value.magnitude < 99.95 ? 1 : 0)
  }
}

extension PeerStatus {
  /// What a connected peer does besides talking, as the word that is shown in place of its state.
  enum Activity: String {
    /// It keeps what it hears in files.
    case recording = "RECORDING"
    /// It sends somebody's voice back in place of its own.
    case loopBack = "LOOP-BACK"
    /// It changes its voice.
    case effect = "EFFECT"
  }

  /// The one that others have to know of most.
  var activity: Activity? {
    guard state == .connected else { return nil }
    if isRecording == true { return .recording }
    if isLoopingBack == true { return .loopBack }
    return effect == nil ? nil : .effect
  }
}

/// Who each line is about: as wide as the longest name, so that no two peers look alike.
struct NameColumn {
  /// The widest and the narrowest that it gets.
  static let (most, least) = (24, 10)

  private let width: Int

  init(_ peers: [PeerStatus]) {
    let longest = peers.map { Cell.clean($0.name).count }.max() ?? 0
    width = min(max(longest, Self.least), Self.most)
  }

  /// How much wider it is than a line of 100 characters has room for.
  var extra: Int { width - Self.least }

  var title: String { Cell.padded("  peer", width: width + 2, isLeft: true) }

  /// A star before the name of who talks.
  func text(_ peer: PeerStatus) -> String {
    (peer.isTalking ? "* " : "  ") + Cell.name(peer.name, width: width)
  }
}

/// How good each peer of a ``Status`` is heard, and what it is sent.
enum QualityTable {
  /// A heading and one line a peer; nothing before one was heard.
  static func lines(_ peers: [PeerStatus]) -> [String] {
    let heard = peers.filter { $0.quality != nil }
    guard !heard.isEmpty else { return [] }
    let names = NameColumn(peers)
    return ["", "\(names.title) heard  why, and what we send it"]
      + heard.map { "\(names.text($0)) \(line($0))" }
  }

  private static func line(_ peer: PeerStatus) -> String {
    let figure = Cell.padded(
      peer.quality.map { Fixed.text($0, digits: 1) } ?? "-", width: 5, isLeft: false)
    return "\(figure)  \(Cell.clean(peer.qualityReason ?? ""))\(sent(peer))"
  }

  private static func sent(_ peer: PeerStatus) -> String {
    guard let rate = peer.sentBitrateKilobits, let copies = peer.sentCopies else { return "" }
    let words = copies.hasSuffix("FEC") ? Cell.clean(copies) : "copies \(Cell.clean(copies))"
    let shown = copies == "none" ? "" : ", \(words)"
    return "; \(Fixed.text(rate, digits: 0)) kbit/s to it\(shown)"
  }
}
