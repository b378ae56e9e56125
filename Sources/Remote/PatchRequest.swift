internal import StatusSchema

/// What a remote can ask about inputs beside the microphone, and buses with ports of their own; in JSON the word is
/// `input-set` or `bus-set`.
public enum PatchRequest: Sendable, Hashable {
  /// Lets others hear an input, or not, and says which lines it is for; nil: as before.
  ///
  /// - Parameter lines: none: all members, whatever lines they are on.
  case input(name: String, isOn: Bool?, lines: [String]? = nil)
  /// Sets how loud a peer is on a bus, within `PeerStatus.gainRangeDecibels`; nil: not at all.
  ///
  /// - Parameter peer: nil: all, those that were set by themselves, too.
  case bus(name: String, peer: String?, decibels: Double?)

  /// Names of lines as people write them, with commas between.
  public static func lines(in text: String) -> [String] {
    text.split(separator: ",").map { name in
      var name = name[...]
      while name.first == " " { name.removeFirst() }
      while name.last == " " { name.removeLast() }
      return String(name)
    }.filter { !$0.isEmpty }
  }

  enum Kind: String, CaseIterable {
    case input = "input-set"
    case bus = "bus-set"
  }

  private enum Key: String, CodingKey { case request, input, bus, peer, on, lines, decibels }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .input:
      self = .input(
        name: try fields.decode(String.self, forKey: .input),
        isOn: try fields.decodeIfPresent(Bool.self, forKey: .on),
        lines: try fields.decodeIfPresent([String].self, forKey: .lines))
    case .bus:
      let decibels = try fields.decodeIfPresent(Double.self, forKey: .decibels)
      let range = PeerStatus.gainRangeDecibels
      guard decibels.map(range.contains) ?? true else {
        throw DecodingError.dataCorruptedError(
          forKey: .decibels, in: fields,
          debugDescription: "decibels must be from \(range.lowerBound) to \(range.upperBound)")
      }
      self = .bus(
        name: try fields.decode(String.self, forKey: .bus),
        peer: try fields.decodeIfPresent(String.self, forKey: .peer), decibels: decibels)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .input(let name, let isOn, let lines):
      try fields.encode(Kind.input.rawValue, forKey: .request)
      try fields.encode(name, forKey: .input)
      try fields.encodeIfPresent(isOn, forKey: .on)
      try fields.encodeIfPresent(lines, forKey: .lines)
    case .bus(let name, let peer, let decibels):
      try fields.encode(Kind.bus.rawValue, forKey: .request)
      try fields.encode(name, forKey: .bus)
      try fields.encodeIfPresent(peer, forKey: .peer)
      try fields.encodeIfPresent(decibels, forKey: .decibels)
    }
  }
}
