import Intercom

/// A network of the table, and what each profile must keep on it.
struct QualityLink {
  /// What must be kept; what is nil is not asked for.
  struct Aim {
    /// How far below the clean link's the PESQ may be; the clean link's below that of the codec alone.
    var pesqDrop: Double?
    /// Payload on the wire, kbit/s.
    var payloadKilobits: Double?
    /// Milliseconds.
    var playoutDelay: Double?
    /// The most of it, milliseconds.
    var playoutDelayMost: Double?
    /// Milliseconds more than on the clean link.
    var playoutDelayMore: Double?
    /// Share of the packets made up, percent.
    var concealed: Double?
    /// Share of the sound made up that no drought of the link explains, percent.
    var concealedOutside: Double?
  }

  let name: String
  /// Options of `comlink-link`.
  let options: [String]
  /// What is not named has none.
  var aims: [Profile: Aim] = [:]
  /// Whether it is measured only when it is named.
  var isExtra = false

  static let all = [
    QualityLink(
      name: "clean", options: [], aims: [.wifi: Aim(pesqDrop: 0.1)]),
    QualityLink(
      name: "loss1", options: ["--loss", "1"],
      aims: [.stage: Aim(pesqDrop: 0.15, playoutDelayMore: 2.5), .wifi: Aim(pesqDrop: 0.15)]),
    QualityLink(
      name: "loss5", options: ["--loss", "5"],
      aims: [.wifi: Aim(pesqDrop: 0.1, payloadKilobits: 48)]),
    QualityLink(
      name: "loss10", options: ["--loss", "10"],
      aims: [.wifi: Aim(pesqDrop: 0.15, payloadKilobits: 72)]),
    QualityLink(
      name: "loss20", options: ["--loss", "20"],
      aims: [.wifi: Aim(pesqDrop: 0.25, payloadKilobits: 96, playoutDelay: 60)]),
    QualityLink(
      name: "burst5", options: ["--burst-loss", "5:3"],
      aims: [.wifi: Aim(pesqDrop: 0.3, payloadKilobits: 96)]),
    QualityLink(
      name: "burst10", options: ["--burst-loss", "10:3"],
      aims: [.wifi: Aim(pesqDrop: 0.6, payloadKilobits: 96)]),
    QualityLink(
      name: "wifi", options: ["--jitter", "wifi", "--loss", "1"],
      aims: [.wifi: Aim(pesqDrop: 0.3, playoutDelay: 60, concealedOutside: 0.1)]),
    QualityLink(
      name: "jitter", options: ["--delay", "30", "--jitter", "uniform:10"],
      aims: [.wifi: Aim(pesqDrop: 0.1)]),
    // The voice goes on, though the first seconds find the queue.
    QualityLink(
      name: "cap64", options: ["--rate", "64", "--queue", "200"],
      aims: [.wifi: Aim(pesqDrop: 0.3, playoutDelayMost: 120, concealed: 1)]),
    // Not of the table: ways that are too long to ask again, and ways where headers alone are too much.
    QualityLink(name: "far5", options: ["--delay", "100", "--loss", "5"], isExtra: true),
    QualityLink(name: "far10", options: ["--delay", "100", "--loss", "10"], isExtra: true),
    QualityLink(name: "cap32", options: ["--rate", "32", "--queue", "200"], isExtra: true),
    QualityLink(name: "cap24", options: ["--rate", "24", "--queue", "200"], isExtra: true),
  ]
}
