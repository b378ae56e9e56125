/// One of the kernel's sound cards, as `/proc/asound` lists it.
struct SoundCard: Hashable, Sendable {
  /// The card's number, which may change with the order of plugging in.
  var number: Int
  /// The card's short name, which stays.
  var identifier: String
  /// The kernel driver's name for it, such as "HDA-Intel" or "USB-Audio".
  var driver: String
  /// The lowest device number that captures; nil: none.
  var captureDevice: Int?
  /// The lowest device number that plays; nil: none.
  var playbackDevice: Int?

  /// Loopback and dummy cards carry no sound to or from the world.
  var isReal: Bool { driver != "Loopback" && driver != "Dummy" }
  /// A screen's loudspeaker: silent, or not openable, without a screen.
  var isScreen: Bool { identifier.lowercased().contains("hdmi") }

  /// The cards in the kernel's order.
  ///
  /// - Parameters:
  ///   - cards: the text of `/proc/asound/cards`: ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH`, and a second
  ///     line of details for each.
  ///   - pcm: the text of `/proc/asound/pcm`: `00-03: HDMI 0 : HDMI 0 : playback 1`, card and device first.
  /// - Returns: every card, with its devices.
  static func parse(cards: String, pcm: String) -> [SoundCard] {
    var list = cards.split(separator: "\n").compactMap(card(line:))
    for line in pcm.split(separator: "\n") {
      let fields = line.split(separator: ":").map(trimmed)
      let numbers = (fields.first ?? "").split(separator: "-").map { Int($0) }
      guard numbers.count == 2, let number = numbers[0], let device = numbers[1],
        let index = list.firstIndex(where: { $0.number == number })
      else { continue }
      if fields.contains(where: { $0.hasPrefix("capture ") }) {
        list[index].captureDevice = min(list[index].captureDevice ?? device, device)
      }
      if fields.contains(where: { $0.hasPrefix("playback ") }) {
        list[index].playbackDevice = min(list[index].playbackDevice ?? device, device)
      }
    }
    return list
  }

  private static func card(line: Substring) -> SoundCard? {
    guard let open = line.firstIndex(of: "["), let close = line.firstIndex(of: "]"), open < close,
      let number = Int(trimmed(line[..<open]))
    else { return nil }
    let description = line[close...].dropFirst().drop { $0 == ":" || $0 == " " }
    let driver = description.split(separator: " ").first.map(String.init) ?? ""
    return SoundCard(
      number: number, identifier: trimmed(line[line.index(after: open)..<close]), driver: driver)
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
