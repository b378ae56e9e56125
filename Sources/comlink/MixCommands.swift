internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink gain PEER DB`: how loud a peer is in the mix.
struct GainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gain", abstract: "Sets the gain of a peer in the mix.")

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @Argument(
    help: ArgumentHelp("Gain, dB, \(Self.range.words()); 0 is unity.", valueName: "DB"))
  var decibels: SignedNumber
  @OptionGroup var remote: RemoteOptions

  private static let range = PeerStatus.gainRangeDecibels

  func validate() throws {
    guard Self.range.contains(decibels.value) else {
      throw ValidationError("the gain must be from \(Self.range.words(joinedBy: " to ")) dB")
    }
  }

  func run() throws { try remote.ask(.gain(peer: peer, decibels: decibels.value)) }
}

/// `comlink mute PEER`: takes a peer out of the mix.
struct MuteCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mutes a peer in the mix.")

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .mute(peer: peer, isOn: true) }
}

/// `comlink unmute PEER`: takes a peer back into the mix.
struct UnmuteCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Unmutes a peer in the mix.")

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .mute(peer: peer, isOn: false) }
}

/// `comlink pan PEER -1…1`: where a peer is in the mix.
struct PanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pan", abstract: "Pans a peer in the mix.")

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @Argument(
    help: ArgumentHelp("-1 left, 0 centre, 1 right.", valueName: PeerStatus.panRange.words()))
  var position: SignedNumber
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard PeerStatus.panRange.contains(position.value) else {
      throw ValidationError("the pan must be from -1 (left) to 1 (right)")
    }
  }

  func run() throws { try remote.ask(.pan(peer: peer, position: position.value)) }
}

/// `comlink place PEER AZIMUTH [ELEVATION]`: where a peer is heard around the head.
struct PlaceCommand: ParsableCommand {
  /// A direction, or none.
  enum Azimuth: ExpressibleByArgument {
    case off
    case degrees(Double)

    init?(argument: String) {
      if argument == "off" {
        self = .off
      } else if let number = SignedNumber(argument: argument) {
        self = .degrees(number.value)
      } else {
        return nil
      }
    }

    var degrees: Double? { if case .degrees(let value) = self { value } else { nil } }
  }

  static let configuration = CommandConfiguration(
    commandName: "place", abstract: "Has a peer be heard from a direction around your head.",
    discussion: """
      For headphones at mix_left and mix_right; its own port stays as it is. To spread all talkers by line: comlink ear \
      --places spread. It needs the package libmysofa1.
      """)

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @Argument(
    help: ArgumentHelp(
      "Degrees: 0 ahead, 90 right, -90 left, 180 behind; off: by its pan.",
      valueName: "\(Self.azimuths.words())|off"))
  var azimuth: Azimuth
  @Argument(
    help: ArgumentHelp("Degrees: 0 level, 90 above.", valueName: Self.elevations.words()))
  var elevation: SignedNumber?
  @OptionGroup var remote: RemoteOptions

  private static let azimuths = PeerStatus.azimuthRangeDegrees
  private static let elevations = PeerStatus.elevationRangeDegrees

  func validate() throws {
    guard azimuth.degrees.map(Self.azimuths.contains) ?? true else {
      throw ValidationError("the azimuth must be from -180 to 180 degrees, or off")
    }
    guard Self.elevations.contains(elevation?.value ?? 0) else {
      throw ValidationError("the elevation must be from -40 to 90 degrees")
    }
  }

  func run() throws {
    try remote.ask(
      .place(peer: peer, azimuth: azimuth.degrees, elevation: elevation?.value ?? 0))
  }
}

/// `comlink talk on|off`: the talk key.
struct TalkCommand: ParsableCommand {
  /// The key's two positions.
  enum Position: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    commandName: "talk", abstract: "Turns the talk key of line all on or off.")

  @Argument(help: "on or off.") var position: Position
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.talk(isOn: position == .on)) }
}

/// `comlink sidetone DB|off`: the own microphone in the own ear.
struct SidetoneCommand: ParsableCommand {
  /// A level, or none.
  enum Level: ExpressibleByArgument {
    case off
    case decibels(Double)

    /// `on`: loud enough to hear oneself, and no louder.
    private static let usualDecibels = -18.0

    init?(argument: String) {
      if argument == "off" {
        self = .off
      } else if argument == "on" {
        self = .decibels(Self.usualDecibels)
      } else if let number = SignedNumber(argument: argument) {
        self = .decibels(number.value)
      } else {
        return nil
      }
    }

    var decibels: Double? { if case .decibels(let value) = self { value } else { nil } }
  }

  static let configuration = CommandConfiguration(
    commandName: "sidetone", abstract: "Sets how loud you hear your own open microphone.",
    discussion: "A restart goes back to --sidetone.")

  @Argument(
    help: ArgumentHelp(
      "Level, dB, \(Self.range.words()), 0 is as loud as a peer; on: -18; or off.",
      valueName: "DB|on|off"))
  var level: Level
  @OptionGroup var remote: RemoteOptions

  private static let range = NodeStatus.sidetoneRangeDecibels

  func validate() throws {
    guard level.decibels.map(Self.range.contains) ?? true else {
      throw ValidationError(
        "the sidetone must be from \(Self.range.words(joinedBy: " to ")) dB, or off")
    }
  }

  func run() throws { try remote.ask(.sidetone(decibels: level.decibels)) }
}

/// A number with an optional sign, which may be a typographic minus.
struct SignedNumber: ExpressibleByArgument {
  let value: Double

  init?(argument: String) {
    guard let value = Double(NegativeNumber.plain(argument)), value.isFinite else { return nil }
    self.value = value
  }
}

/// Negative numbers on the command line.
///
/// The parser takes whatever begins with a hyphen for an option, so `pan B -0.5` would need `--`.
/// Hyphens of numbers are therefore swapped for the typographic minus before the parser sees them;
/// ``SignedNumber`` reads both.
enum NegativeNumber {
  static let minus: Character = "\u{2212}"

  /// A text with a hyphen for the typographic minus that it begins with.
  static func plain(_ text: String) -> String {
    text.first == minus ? "-" + text.dropFirst() : text
  }

  /// The arguments with the hyphens of negative numbers out of the parser's sight.
  static func protected(_ arguments: [String]) -> [String] {
    arguments.map { argument in
      let rest = argument.dropFirst()
      guard argument.hasPrefix("-"), rest.first.map({ $0.isNumber || $0 == "." }) == true,
        Double(rest) != nil
      else { return argument }
      return "\(minus)\(rest)"
    }
  }
}

/// A range of whole numbers as help and messages name it.
extension ClosedRange<Double> {
  /// `-60…18`, or with other words between the limits.
  func words(joinedBy joint: String = "…") -> String {
    "\(Int(lowerBound))\(joint)\(Int(upperBound))"
  }
}
