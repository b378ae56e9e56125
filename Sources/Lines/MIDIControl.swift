/// A note or a controller of a MIDI device that works a key, as it is set: `note 60`, `note 60 channel 1`, `cc 64`.
public struct MIDIControl: Sendable, Hashable, CustomStringConvertible {
  /// What sends the edges.
  public enum Kind: String, Sendable, Hashable {
    /// Note on and note off.
    case note
    /// Control change.
    case controller = "cc"
  }

  /// What it is.
  public let kind: Kind
  /// Which note or controller, 0 to 127.
  public let number: UInt8
  /// On which channel, 1 to 16; nil: on any, and lamps are on the first.
  public let channel: UInt8?

  /// Reads what a user wrote.
  ///
  /// - Throws: that it is none.
  public init(_ text: String) throws(LineError) {
    let words = text.lowercased().split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2 || words.count == 4 && words[2] == "channel",
      let kind = Kind(rawValue: String(words[0])), let number = UInt8(words[1]), number < 128
    else { throw .badMIDI(text) }
    var channel: UInt8?
    if words.count == 4 {
      guard let given = UInt8(words[3]), (1...16).contains(given) else { throw .badMIDI(text) }
      channel = given
    }
    (self.kind, self.number, self.channel) = (kind, number, channel)
  }

  /// As it is written in settings.
  public var description: String {
    "\(kind.rawValue) \(number)" + (channel.map { " channel \($0)" } ?? "")
  }

  /// Whether an edge comes from it.
  public func matches(_ edge: MIDIEdge) -> Bool {
    edge.kind == kind && edge.number == number && (channel ?? edge.channel) == edge.channel
  }

  /// What sets its lamp: a note on, or a control change, with this velocity or value, 0 to 127.
  public func lamp(_ value: UInt8) -> [UInt8] {
    [(kind == .note ? 0x90 : 0xB0) | ((channel ?? 1) - 1), number, value & 0x7F]
  }
}

/// A note or a controller that went down or up.
public struct MIDIEdge: Sendable, Hashable {
  /// What it is.
  public let kind: MIDIControl.Kind
  /// Which, 0 to 127.
  public let number: UInt8
  /// On which channel, 1 to 16.
  public let channel: UInt8
  /// Whether it went down: a note on with a velocity, or a value of 64 and more.
  public let isDown: Bool
}

/// A MIDI message as JACK hands it over, one whole message without running status (MIDI 1.0, "Table 1").
public enum MIDIMessage: Sendable, Hashable {
  /// A note or a controller.
  case edge(MIDIEdge)
  /// Anything else that is a message.
  case other
  /// No message.
  case malformed

  /// Reads octets, which may be anything.
  public init(_ octets: [UInt8]) {
    guard let status = octets.first, status >= 0x80 else {
      self = .malformed
      return
    }
    if status == 0xF0 {
      // A short system exclusive message.
      let body = octets.dropFirst().dropLast()
      let isWhole = octets.count > 1 && octets.last == 0xF7 && body.allSatisfy { $0 < 0x80 }
      self = isWhole ? .other : .malformed
      return
    }
    guard octets.count == Self.length(of: status), octets.dropFirst().allSatisfy({ $0 < 0x80 })
    else {
      self = .malformed
      return
    }
    let channel = status & 0x0F + 1
    self =
      switch status & 0xF0 {
      case 0x80:
        .edge(MIDIEdge(kind: .note, number: octets[1], channel: channel, isDown: false))
      case 0x90:
        .edge(MIDIEdge(kind: .note, number: octets[1], channel: channel, isDown: octets[2] > 0))
      case 0xB0:
        .edge(
          MIDIEdge(kind: .controller, number: octets[1], channel: channel, isDown: octets[2] >= 64))
      default: .other
      }
  }

  /// How long a message of a status byte is; 0: there is none.
  private static func length(of status: UInt8) -> Int {
    switch status {
    case 0xF1, 0xF3: 2
    case 0xF2: 3
    case 0xF4, 0xF5, 0xF7, 0xF9, 0xFD: 0
    case 0xF6, 0xF8...0xFF: 1
    case 0xC0...0xDF: 2
    default: 3
    }
  }
}
