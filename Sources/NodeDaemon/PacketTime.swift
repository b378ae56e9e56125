/// How much audio a packet carries: the frame sizes of Opus (RFC 6716 §2.1.4).
enum PacketTime: Double, CaseIterable, Sendable {
  case ms2point5 = 2.5
  case ms5 = 5
  case ms10 = 10
  case ms20 = 20
  case ms40 = 40
  case ms60 = 60

  /// The choices as a user writes them.
  static let words = allCases.map(\.text).joined(separator: "|")

  /// Audio per packet, milliseconds.
  var milliseconds: Double { rawValue }

  /// Audio per packet, frames at 48 kHz.
  var frames: Int { Int(rawValue * 48) }

  /// The time as a user writes it, milliseconds.
  var text: String { self == .ms2point5 ? "2.5" : "\(Int(rawValue))" }
}
